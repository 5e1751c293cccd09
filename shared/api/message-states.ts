/** What one word asks for where lists of messages are narrowed by a state: several states together. */

export const inboxGroups = {open: ["pending", "running"], aside: ["failed", "dead", "held"]} as const

export const outboxGroups = {open: ["queued", "sending"], aside: ["failed", "dead", "unknown", "held"]} as const
