"""Advice that weakens security or tests: only a maintainer may turn it into a rule, however many reviewers say it."""

from __future__ import annotations

import re

from assay.github_app.learning.injection_screen import injection_sign

MOST_READ = 5_000
"""Maximum characters searched; a rule's wording is far shorter."""

_NOT = "n['\N{RIGHT SINGLE QUOTATION MARK}]?t"
NEGATED = rf"\b(?:do|does|did|ca|wo|would|should|could|must|need|is|are|was|were){_NOT}"
"""Pattern of a negated verb, such as `don't` or `dont`; words such as `want` merely end like one."""
_GUARDS = (
    r"(?:tls|ssl|https|certificates?|certs?|host ?names?|verification|verif(?:y|ying)|validations?|csrf|cors|csp"
    r"|auth(?:entication|orization)?|permissions?(?: checks?)?|access checks?|sandbox(?:es|ing)?"
    r"|saniti[sz](?:ation|ing|er)|escap(?:e|ing)|signatures?|rate.?limits?|secret scan\w*|encryption|tests?"
    r"|test cases|assertions?|asserts?|checks?|hooks?|lint(?:er|ing|s)?|type.?check\w*|coverage|ci|pipelines?"
    r"|scanners?|scans?|warnings?)"
)
_TURN_OFF = (
    r"(?:disabl(?:e|ing)|turn(?:ing)? off|switch(?:ing)? off|skip(?:ping)?|bypass(?:ing)?|suppress(?:ing)?"
    r"|deactivat(?:e|ing)|silenc(?:e|ing)|mut(?:e|ing)|comment(?:ing)? out|ignor(?:e|ing)|relax(?:ing)?"
    r"|loosen(?:ing)?|lower(?:ing)?|remov(?:e|ing)|delet(?:e|ing)|drop(?:ping)?|get rid of|stop (?:using|running))"
)
_GUARDING = (
    r"(?:verify|verifying|authenticat(?:e|ing)|authori[sz](?:e|ing)|saniti[sz](?:e|ing)|escap(?:e|ing)|encrypt(?:ing)?"
    r"|sign(?:ing)? (?:the |a )?(?:token|cookie|request|payload)s?|hash(?:ing)? (?:the )?passwords?"
    r"|validat(?:e|ing) (?:the |any )?(?:input|token|signature|certificate|request|user)s?"
    r"|check(?:ing)? (?:the )?permissions?"
    r"|(?:writ(?:e|ing)|add(?:ing)?|run(?:ning)?) (?:any |more |unit |the |new )*tests?|test(?:ing)?\b"
    r"|run(?:ning)? (?:the |any )?(?:lint(?:er|ers|s)?|type.?check\w*|scanners?|formatters?|ci|checks?|hooks?)\b)"
)
_SPELLINGS = (
    r"\bverify\s?=\s?false",
    r"rejectunauthorized[`'\"]?(?:\s?[:=]\s?|\s+(?:to|as)\s+)[`'\"]?false",
    r"insecureskipverify\s?[:=]\s?true",
    r"(?<!\w)--(?:no-verify|insecure)\b",
    r"ssl_verifypeer['\"]?\s?[,:=]\s?(?:0|false)",
    r"\bcert_none\b|_create_unverified_context|node_tls_reject_unauthorized",
    r"\bcsrf_exempt\b|dangerouslysetinnerhtml|\ballow_?any\b",
    r"access-control-allow-origin['\"]?\s?[:=]\s?['\"]?\*",
    r"\bwrite-all\b|\b(?:md5|sha-?1|plain ?text)\b[^.;\n]{0,30}\bpasswords?\b",
    r"\bmark(?:ing|ed)?\b[^.;\n]{0,30}\btests?\b[^.;\n]{0,20}\b(?:skipped|xfail|flaky)\b",
    r"\bchmod 777\b|\bshell\s?=\s?true|\bpickle\.loads?\b|\byaml\.load\b|\beval\(",
    r"\bnosec\b|\beslint-disable\b|\bts-ignore\b|\bnoqa\b|\bcontinue-on-error['\"]?\s?:\s?true",
    r"(?:pytest\.mark\.|@)(?:skip|xfail|ignore)\b|\b(?:it|test|describe)\.skip\b",
)
_TURNED_OFF = re.compile(rf"(?P<before>.{{0,24}})\b{_TURN_OFF}\b[^.;\n]{{0,30}}?\b{_GUARDS}\b", re.IGNORECASE)
_SPELLED = re.compile(rf"(?P<before>.{{0,40}})(?:{'|'.join(_SPELLINGS)})", re.IGNORECASE)
_LEFT_OUT = re.compile(
    rf"\b(?:do(?:es)?(?:{_NOT}| not)|never|no need to|need not|without|avoid|stop|not necessary to)"
    rf"\s+(?:(?!use\b|pass\b|set\b)\w+\s+){{0,2}}?{_GUARDING}",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    rf"(?:{NEGATED}|\bnot|\bnever|\bno|\bwithout|\bavoid|\bstop|\binstead of|\brather than|\bover|\bremove|\bdrop"
    r"|\breplace|\bban)(?:\s+\w+){0,3}\W*$",
    re.IGNORECASE,
)


def weakening(text: str) -> str | None:
    """Return how a text weakens security or tests, in a few words; None if it does not, or forbids it."""
    text = text[:MOST_READ]
    for what, pattern in (("turns a check off", _TURNED_OFF), ("names a way around a check", _SPELLED)):
        if any(not _FORBIDDEN.search(found["before"]) for found in pattern.finditer(text)):
            return what
    return "leaves a check out" if _LEFT_OUT.search(text) else None


def set_aside(*rule: str, comment: str = "") -> str | None:
    """Return why a rule waits for a maintainer alone: an injection in it or its comment, or weakening advice.

    `rule` has its wordings, each of which is searched.
    """
    injection = next((sign for text in (comment, *rule) if (sign := injection_sign(text))), None)
    if injection is not None:
        return f"injection screen: {injection}"
    weakened = next((what for text in rule if (what := weakening(text))), None)
    return f"weakens security or tests: it {weakened}" if weakened is not None else None
