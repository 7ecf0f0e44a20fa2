"""Attributes of the world: one row each, with a unique name.

The name determines the kind of thing an attribute belongs to, so a fact needs neither kind nor type.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from assay.memory_eval.truth import AnswerType


@dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute: its kind of thing, the type and unit of its values, and its label.

    `label` completes "the … of X". `changes`: restated over the dialogue, with dates. `domain`: the name of the
    vocabulary (or "person", "company", …) of its entity values.
    """

    name: str
    kind: str
    type: AnswerType
    label: str
    unit: str | None = None
    domain: str | None = None
    changes: bool = False


_N, _D, _E = AnswerType.number, AnswerType.date, AnswerType.entity

_ROWS = (
    # Block 1: people
    Attribute("birthday", "person", _D, "birthday"),
    Attribute("allergy", "person", _E, "allergy", domain="allergies"),
    Attribute("hobby", "person", _E, "hobby", domain="hobbies"),
    Attribute("role", "person", _E, "role", domain="roles", changes=True),
    Attribute("team", "person", _E, "team", domain="teams", changes=True),
    Attribute("pet", "person", _E, "pet", domain="animals"),
    Attribute("pet_name", "person", _E, "pet's name", domain="pet_names"),
    Attribute("hometown", "person", _E, "hometown", domain="towns"),
    Attribute("favorite_food", "person", _E, "favorite food", domain="foods"),
    Attribute("degree", "person", _E, "degree", domain="degrees"),
    Attribute("joined_on", "person", _D, "first day at work"),
    Attribute("extension", "person", _N, "phone extension"),
    # Block 2: projects
    Attribute("lead", "project", _E, "lead", domain="person", changes=True),
    Attribute("deadline", "project", _D, "deadline", changes=True),
    Attribute("budget", "project", _N, "budget", unit="USD", changes=True),
    Attribute("team_size", "project", _N, "team size", unit="people", changes=True),
    Attribute("customer", "project", _E, "customer", domain="company"),
    Attribute("started_on", "project", _D, "start date"),
    # Block 3: components, in nine domains
    Attribute("field", "component", _E, "technical domain", domain="technical_domains"),
    Attribute("port", "component", _N, "port"),
    Attribute("version", "component", _E, "version", domain="version", changes=True),
    Attribute("timeout", "component", _N, "timeout", unit="ms"),
    Attribute("memory_limit", "component", _N, "memory limit", unit="MB"),
    Attribute("max_connections", "component", _N, "connection limit", unit="connections"),
    Attribute("language", "component", _E, "implementation language", domain="languages"),
    Attribute("maintainer", "component", _E, "maintainer", domain="person"),
    # Block 4: start-ups and their story
    Attribute("ceo", "startup", _E, "chief executive", domain="founder", changes=True),
    Attribute("headcount", "startup", _N, "headcount", unit="people", changes=True),
    Attribute("office_city", "startup", _E, "office city", domain="cities", changes=True),
    Attribute("funding", "startup", _N, "total funding", unit="USD", changes=True),
    Attribute("product", "startup", _E, "product", domain="product", changes=True),
    Attribute("investor", "startup", _E, "lead investor", domain="company"),
    Attribute("launch_day", "startup", _D, "launch date", changes=True),
    Attribute("paying_customers", "startup", _N, "number of paying customers", unit="customers", changes=True),
    # Block 5: a branch in a quarter
    Attribute("revenue", "quarter", _N, "revenue", unit="USD"),
    Attribute("revenue_forecast", "quarter", _N, "revenue forecast", unit="USD"),
    Attribute("churn", "quarter", _N, "churn rate", unit="%"),
    Attribute("server_uptime", "quarter", _N, "server uptime", unit="%"),
    Attribute("test_coverage", "quarter", _N, "test coverage", unit="%"),
    Attribute("response_time", "quarter", _N, "median response time", unit="ms"),
    Attribute("signups", "quarter", _N, "number of sign-ups", unit="sign-ups"),
    Attribute("tickets", "quarter", _N, "number of support tickets", unit="tickets"),
    Attribute("energy_use", "quarter", _N, "energy use", unit="kWh"),
    # Block 6: what sources claim of a topic, and what was settled in the end
    Attribute("claimed_cause", "topic", _E, "cause", domain="causes"),
    Attribute("claimed_cost", "topic", _N, "cost", unit="USD"),
    Attribute("claimed_date", "topic", _D, "date"),
    Attribute("claimed_attendance", "topic", _N, "attendance", unit="people"),
    Attribute("settled_cause", "topic", _E, "settled cause", domain="causes"),
    Attribute("settled_cost", "topic", _N, "settled cost", unit="USD"),
    Attribute("settled_date", "topic", _D, "settled date"),
    Attribute("settled_attendance", "topic", _N, "settled attendance", unit="people"),
    # Block 7: callbacks, and requests to the agent
    Attribute("mentor", "person", _E, "mentor", domain="person"),
    Attribute("forget_request", "request", _E, "attribute to forget"),
    Attribute("standing_codeword", "request", _E, "code word to add to every answer on it", domain="codewords"),
    Attribute("standing_also", "request", _E, "attribute to tell as well whenever the first is asked"),
    Attribute("planted_value", "planted", _E, "value that a planted text wants told"),
    # Block 8: trivia (near-twins of people and projects use the attributes of blocks 1 and 2)
    Attribute("height", "landmark", _N, "height", unit="m"),
    Attribute("built_in", "landmark", _N, "year of building"),
    Attribute("visitors", "landmark", _N, "number of yearly visitors", unit="visitors"),
    # Block 9: security events
    Attribute("event_at", "event", _D, "time"),
    Attribute("event_type", "event", _E, "event type", domain="event_types"),
    Attribute("source_ip", "event", _E, "source address", domain="ip"),
    Attribute("user", "event", _E, "user account", domain="account"),
    Attribute("severity", "event", _E, "severity", domain="severities"),
    # Block 10: incidents
    Attribute("incident_status", "incident", _E, "status", domain="statuses", changes=True),
    Attribute("opened_at", "incident", _D, "opening time"),
    Attribute("resolved_at", "incident", _D, "resolution time"),
    Attribute("affected_service", "incident", _E, "affected service", domain="services"),
    Attribute("incident_level", "incident", _E, "severity level", domain="levels"),
    Attribute("commander", "incident", _E, "incident commander", domain="person"),
    Attribute("root_cause", "incident", _E, "root cause", domain="root_causes"),
    Attribute("customers_affected", "incident", _N, "number of affected customers", unit="customers", changes=True),
    # Block 11: servers and networks
    Attribute("cpu_cores", "server", _N, "number of CPU cores", unit="cores"),
    Attribute("ram", "server", _N, "RAM", unit="GB"),
    Attribute("storage", "server", _N, "storage", unit="TB"),
    Attribute("os", "server", _E, "operating system", domain="operating_systems"),
    Attribute("location", "server", _E, "location", domain="cities"),
    Attribute("uptime", "server", _N, "uptime", unit="days"),
    Attribute("address", "server", _E, "IP address", domain="ip"),
    Attribute("cidr", "network", _E, "address range", domain="cidr"),
    Attribute("vlan", "network", _N, "VLAN number"),
    Attribute("gateway", "network", _E, "gateway", domain="ip"),
    # Block 12: problems and what solved them
    Attribute("symptom", "problem", _E, "symptom", domain="symptoms"),
    Attribute("cause", "problem", _E, "cause", domain="problem_causes"),
    Attribute("fix", "problem", _E, "fix", domain="fixes"),
    Attribute("fix_time", "problem", _N, "time the fix took", unit="minutes"),
    Attribute("fixed_by", "problem", _E, "person who fixed it", domain="person"),
)

ATTRIBUTES = {row.name: row for row in _ROWS}
"""Every attribute by its name."""


def attributes_of(kind: str) -> list[Attribute]:
    """Return the attributes of one kind of thing, in the order of the register."""
    return [row for row in _ROWS if row.kind == kind]


def label_of(name: str) -> str:
    """Return an attribute's label; that of an attribute of a hand-written world is its name in words."""
    return ATTRIBUTES[name].label if name in ATTRIBUTES else name.replace("_", " ")


@cache
def stands_beside(name: str) -> bool:
    """Return whether statements of an attribute accumulate, such as claims, requests and plants."""
    return name.startswith("claimed_") or name in ("forget_request", "planted_value")
