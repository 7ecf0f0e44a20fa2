// Says where the Chromium of the package `@sparticuz/chromium` is, unpacking it the first time, and how to start it.
import chromium from "@sparticuz/chromium";

process.stdout.write(JSON.stringify({ path: await chromium.executablePath(), args: chromium.args }));
