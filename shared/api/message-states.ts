/** Words that stand for several states when a list of messages is filtered by state. */

export const inboxGroups = {open: ["pending", "running"], aside: ["failed", "dead", "held"]} as const

export const outboxGroups = {open: ["queued", "sending"], aside: ["failed", "dead", "unknown", "held"]} as const
