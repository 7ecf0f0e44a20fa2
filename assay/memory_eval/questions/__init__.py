"""The categories of questions. One file each; `CATEGORIES` is the register, the seed's twelve first."""
