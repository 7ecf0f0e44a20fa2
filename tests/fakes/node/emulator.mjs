// Runs the GitHub emulator of the package `emulate` for the tests, until its standard input is closed.
//
// The emulator's own routes are used as they are. What GitHub does in git, and the emulator has no door for, is let in by
// the routes under /_bed: objects under their real ids, a pull request's head after a push, and people.
import { readdirSync } from "node:fs";
import { createEmulator } from "emulate";

const settings = JSON.parse(process.argv[2]);
const dist = new URL("./node_modules/emulate/dist/", import.meta.url);

/** The file of the package that holds its GitHub part: bundled names change with every release. */
async function gitHubPart() {
  for (const name of readdirSync(dist).filter((file) => /^dist-.*\.js$/.test(file))) {
    const part = await import(new URL(name, dist));
    if (part.githubPlugin) return part;
  }
  throw new Error("emulate has no githubPlugin");
}

// A test may say what time it is; whatever happens then happens at that time.
const RealDate = Date;
let fixed = null;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length || fixed === null) super(...given);
    else super(fixed);
  }
  static now() {
    return fixed ?? RealDate.now();
  }
};

const { githubPlugin, getGitHubStore } = await gitHubPart();
const register = githubPlugin.register;
let round = 0;

githubPlugin.register = (app, store, webhooks, _, tokens) => {
  const baseUrl = settings.baseUrl; // what it says of itself in its answers; it listens elsewhere
  register(app, store, webhooks, baseUrl, tokens);
  const gh = getGitHubStore(store);
  const node = (type, id) => Buffer.from(`0:${type}${id}`).toString("base64").replace(/=+$/, "");

  // It allows 5,000 requests an hour, which a whole run of tests may need more of.
  const limiter = app.middleware.findIndex(({ handlers }) => handlers.some((each) => `${each}`.includes("rateLimitCounters")));
  if (limiter < 0) throw new Error("emulate counts requests in another way now");
  app.middleware.splice(limiter, 1);

  // What a token may do the front has looked at: here it would be refused labels and comments that pull_requests: write allows.
  const known = tokens.get.bind(tokens);
  const all = Object.fromEntries(
    ["actions", "checks", "contents", "issues", "metadata", "pull_requests", "statuses"].map((name) => [name, "write"]),
  );
  tokens.get = (token) => {
    const user = known(token);
    return user?.installation ? { ...user, installation: { ...user.installation, permissions: all } } : user;
  };

  // Events go to the front, in their order, which signs and delivers them. What happens while some are on their way goes
  // with the next.
  let waiting = [];
  let isSending = false;
  const send = async () => {
    while (waiting.length) {
      const body = JSON.stringify(waiting);
      waiting = [];
      await fetch(settings.events, { method: "POST", body, headers: { "content-type": "application/json" } }).catch(() => {});
    }
    isSending = false;
  };
  webhooks.dispatch = async (event, action, payload, owner, repo) => {
    // Written down at once: the objects it speaks of go on changing.
    waiting.push(JSON.parse(JSON.stringify({ event, action, payload, owner, repo, round })));
    if (!isSending) {
      isSending = true;
      void send();
    }
  };

  const repository = (name) => gh.repos.findOneBy("full_name", name);
  const insert = (rows, type, row) => rows.update(row.id, { node_id: node(type, row.id) });

  app.post("/_bed/reset", async (c) => {
    round = (await c.req.json()).round;
    emulator.reset();
    return c.json({});
  });

  app.post("/_bed/clock", async (c) => {
    fixed = (await c.req.json()).at;
    return c.json({});
  });

  app.post("/_bed/grant", async (c) => {
    const { permissions } = await c.req.json();
    const changed = (granted) =>
      Object.fromEntries(Object.entries({ ...granted, ...permissions }).filter(([, level]) => level !== null));
    const [installation] = gh.appInstallations.all();
    gh.appInstallations.update(installation.id, { permissions: changed(installation.permissions) });
    const [first] = gh.apps.all();
    gh.apps.update(first.id, { permissions: changed(first.permissions) });
    return c.json({ permissions: gh.appInstallations.all()[0].permissions });
  });

  app.post("/_bed/people", async (c) => {
    const { login, type, token, organization } = await c.req.json();
    let user = gh.users.findOneBy("login", login);
    if (!user) {
      const row = gh.users.insert({
        login, type, node_id: "", avatar_url: `${baseUrl}/avatars/u/${login}`, gravatar_id: "", site_admin: false, name: login,
        company: null, blog: "", location: null, email: `${login}@example.org`, hireable: null, bio: null,
        twitter_username: null, public_repos: 0, public_gists: 0, followers: 0, following: 0,
      });
      user = insert(gh.users, "User", row);
    }
    const org = gh.orgs.findOneBy("login", organization);
    const team = gh.teams.findBy("org_id", org.id).find((each) => each.slug === "members");
    if (!gh.teamMembers.findBy("team_id", team.id).some((each) => each.user_id === user.id)) {
      gh.teamMembers.insert({ team_id: team.id, user_id: user.id, role: "member" });
    }
    tokens.set(token, { login, id: user.id, scopes: ["repo", "user"] });
    return c.json({ id: user.id });
  });

  app.post("/_bed/objects", async (c) => {
    const { repo: name, blobs, trees, commits } = await c.req.json();
    const repo = repository(name);
    const unknown = (rows, objects) => objects.filter((each) => !rows.findBy("sha", each.sha).some((row) => row.repo_id === repo.id));
    for (const each of unknown(gh.blobs, blobs)) {
      insert(gh.blobs, "Blob", gh.blobs.insert({ repo_id: repo.id, node_id: "", ...each }));
    }
    for (const each of unknown(gh.trees, trees)) {
      insert(gh.trees, "Tree", gh.trees.insert({ repo_id: repo.id, node_id: "", truncated: false, ...each }));
    }
    for (const each of unknown(gh.commits, commits)) {
      insert(gh.commits, "Commit", gh.commits.insert({ repo_id: repo.id, node_id: "", user_id: null, ...each }));
    }
    return c.json({});
  });

  app.post("/_bed/branch", async (c) => {
    const { repo: name, branch, sha } = await c.req.json();
    const repo = repository(name);
    const head = gh.branches.findBy("repo_id", repo.id).find((each) => each.name === branch);
    const ref = gh.refs.findBy("repo_id", repo.id).find((each) => each.ref === `refs/heads/${branch}`);
    if (sha === null) {
      if (head) gh.branches.delete(head.id);
      if (ref) gh.refs.delete(ref.id);
      return c.json({});
    }
    if (head) gh.branches.update(head.id, { sha });
    else gh.branches.insert({ repo_id: repo.id, name: branch, sha, protected: false });
    if (ref) gh.refs.update(ref.id, { sha });
    else insert(gh.refs, "Ref", gh.refs.insert({ repo_id: repo.id, ref: `refs/heads/${branch}`, sha, node_id: "" }));
    gh.repos.update(repo.id, { pushed_at: new Date().toISOString() });
    return c.json({});
  });

  app.patch("/_bed/pulls", async (c) => {
    const { repo: name, number, changes } = await c.req.json();
    const pull = gh.pullRequests.findBy("repo_id", repository(name).id).find((each) => each.number === number);
    gh.pullRequests.update(pull.id, changes);
    return c.json({});
  });
};

const emulator = await createEmulator({ service: "github", port: 0, seed: settings.seed });
process.stdout.write(`${new URL(emulator.url).port}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
