"""Words that call a statement false, doubtful or unfounded, independent of sentence structure.

Phrases are endless, words nearly finite: the text around a value is searched for stems of disbelief.
"""

from __future__ import annotations

import re

_STEMS = (
    "disprov disproof debunk refut rebut contradict discredit discard disagree dispell disbeliev disclaim disown "
    "falsif fabricat concoct hoax rumour rumor gossip hearsay typo misprint slip-up blunder fallac delus illus "
    "fiction fictitious imaginar phantom counterfeit spurious erroneous faulty flawed bogus sham absurd ridicul "
    "nonsens ludicrous preposterous implausib improbab inconceivab unlikel unthinkab unbeliev untenab unfound "
    "unsupport unsubstantiat unproven unverif untrustworth unreliab unwarrant unjustif unreal incorrect inaccura "
    "invalid groundless baseless wrong wrongful confus mixed-up mix-up mixup overturn overrul revok rescind withdr "
    "retract repudiat renounc disallow negat nullif void exaggerat propagand skeptic sceptic distrust mistrust "
    "suspect doubt dubious debatab questionab deceiv deceptiv hallucinat guesswork conjectur strawman decoy "
    "bait eliminat discard veto oppos beware nowhere bad poor mockery joke prank fantas pipe-dream "
    "reservation unconvinc unpersuad dishonest disingenuous stretch random invent "
    "outlandish laughab incompatib inconsisten opposite contrary placeholder dummy"
).split()
_CALLED_FALSE = re.compile(
    rf"\b(?:{'|'.join(sorted(_STEMS, key=len, reverse=True))})\w*"
    r"|\bmis(?!s|ter|c|h|t\b|o|er|sion)[a-z]{3,}"
    r"|\b(?:thin air|ancient history|is history|was history|thing of the past|yet to be|remains to be|only (?:a"
    r"|an) \w+ guess"
    r"|are (?:all )?open|first (?:glance|sight)|on the surface|tempt\w+ to|just to (?:say|write|fill|have|give)"
    r"|pigs fly"
    r"|making (?:this|that|it) up|hell freezes)\b"
    r"|\b(?:fails?|failed|less than \w+ing|makes? no sense|off the table|out of the running|out of contention"
    r"|off the mark|wide of the mark"
    r"|beside the point|too easy|too good"
    r"|far[- ]fetched|not the one|no good|no use|struck (?:from|off|out)|cross(?:ed)? (?:it |this |that )?out"
    r"|ticked off|threw out"
    r"|thrown out|turned down|voted down|shot down|ruled? (?:it )?out|against|differs? from|differ\w* from"
    r"|distinct from"
    r"|clash\w* with|conflicts? with|thinking of|mean to ask|replaced? (?:it|this|that)|steer clear of|stay away "
    r"from)\b"
    r"|\b(?:hard|difficult|impossible|tough|unable) to (?:believe|accept|imagine|credit|swallow|see|defend|justify)\b"
    r"|\b(?:trouble|difficulty|problems?) (?:believing|accepting|imagining|with)\b"
    r"|\b(?:lacks?|lacking|without|has no|have no) (?:any |all )?(?:basis|support|proof|evidence|foundation|grounds)\b"
    r"|\b(?:goes|go|went|speaks?|flies|argues?|evidence) (?:in the face of|against)\b|\bat odds with\b"
    r"|\b(?:say|says|said|differ\w*|read|reads|suggests?|told) (?:me )?otherwise\b|\b(?:made|make|making) "
    r"(?:that |it )?up\b|\bso-called\b|\bold wives\b|\bred herring\b|\btrick\b|\btrap\b"
    r"|\b(?:mix(?:ed|ing)?|mistook|mistaken) (?:it |this |that |them )?(?:up )?(?:with|for)\b"
    r"|\bturn(?:s|ed)? (?:it )?out (?:not|to be (?:a |an )?(?:false|wrong|lie|error|mistake))\b"
    r"|\b(?:nicht|kein\w*|niet|geen|ikke|inte|jamais|nunca|jamas|nein|n'est pas|nao|nem|nie)\b|\bne? (?:\w+ )?pas\b"
)
_TURNED_ROUND = re.compile(
    r"(?:\b(?:no|not|never|nobody|no one|nothing|without|hardly|neither|nor)|n't)\b(?: [^\W_]+){0,3}? $"
)
_OF_THE_TELLING = re.compile(
    r"\b(?:unless|correct me|if|may|might|could|forgive|sorry|apolog\w*|pardon|no|any|fixed|clear up|to avoid|avoid"
    r"|my earlier|my previous|the earlier|the previous)\b[^.,;]{0,24}$"
)


def called_false(stretch: str) -> bool:
    """Return whether a text calls its subject false, doubtful or unfounded; a double negation does neither."""
    for match in _CALLED_FALSE.finditer(stretch):
        before = stretch[: match.start()]
        if not _TURNED_ROUND.search(before) and not _OF_THE_TELLING.search(before):
            return True
    return False
