"""Validation runs, holds, waivers and fix cycles."""
