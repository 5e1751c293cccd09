/** A test that causes faults repeatedly, with choices from a seed. */
export interface Fault {
  readonly what: string
  /** The test files below `tests`, without `.test.ts`. */
  readonly files: readonly string[]
  /** The unit of a round. */
  readonly unit: string
  /** The rounds in `bun run check`; undefined if the test runs as many as fit into a few seconds. */
  readonly suite: number | undefined
  /** The default rounds of `bun run faults`. */
  readonly long: number
  /** The seed in `bun run check`; if undefined, another one each time. */
  readonly seed?: number
}

const table = {
  "kill-loop": {
    what: "kill -9 of a Host that talks to webhooks and IRC: nothing acknowledged is lost, nothing is answered twice",
    files: ["e2e/messages/kill-loop"],
    unit: "kills",
    suite: 20,
    long: 1000,
  },
  "adapter-kills": {
    what: "kill -9 of a Host on Telegram, Discord, Matrix, email and IRC at once: nothing is lost, duplicated or left unnamed",
    files: ["e2e/adapters/kill-loop"],
    unit: "kills an adapter",
    suite: 5,
    long: 50,
  },
  conformance: {
    what: "the conformance suite of each adapter, on Node 24 or with --on bun: kill -9 during a burst loses and duplicates nothing",
    files: [
      "conformance",
      "discord",
      "email",
      "matrix",
      "mqtt",
      "onebot",
      "satori-bridge",
      "satori",
      "slack",
      "telegram",
      "xmpp",
    ].map(file => `contract/adapters/${file}`),
    unit: "kills an adapter",
    suite: 2,
    long: 20,
  },
  "act-kills": {
    what: "kill -9 of a Host that sends under keys, edits and deletes: each is done once, in order",
    files: ["e2e/messages/kill-acts"],
    unit: "kills",
    suite: 6,
    long: 200,
  },
  "form-kills": {
    what: "kill -9 of a Host whose forms are answered: each answer counts once, and each form is done once",
    files: ["e2e/interactions/forms"],
    unit: "kills",
    suite: 5,
    long: 200,
  },
  "button-kills": {
    what: "kill -9 of a Host whose buttons are pressed: each press is done once",
    files: ["e2e/interactions/buttons"],
    unit: "kills",
    suite: 5,
    long: 200,
  },
  "example-kills": {
    what: "kill -9 of a Host that moderates and reminds: acts and timers together, each done once",
    files: ["e2e/examples/kill-loop"],
    unit: "kills",
    suite: 20,
    long: 2000,
  },
  "bridge-kills": {
    what: "kill -9 of a bridge between two platforms: each message, edit, deletion and file is carried over once, in order",
    files: ["e2e/examples/bridge"],
    unit: "kills",
    suite: 4,
    long: 100,
  },
  "matrix-kills": {
    what: "kill -9 of a Host that sends to a Matrix homeserver: each message is there once, in order",
    files: ["e2e/adapters/matrix-kills"],
    unit: "kills",
    suite: 6,
    long: 100,
  },
  "agent-kills": {
    what: "kill -9 of a Host whose agents call models and tools: each run ends, and each effect is done once or known to be interrupted",
    files: ["e2e/agents/kills"],
    unit: "kills",
    suite: 20,
    long: 500,
  },
  "mcp-orphans": {
    what: "kill -9 and reloads of a Host whose agent has two stubborn MCP servers: none of their processes survives",
    files: ["e2e/agents/mcp/orphans"],
    unit: "kills and reloads a runtime",
    suite: 4,
    long: 100,
  },
  "everything-kills": {
    what: "kill -9 and reloads of a bot with files, timers, buttons, states and an agent at once: nothing fails, each is done once",
    files: ["e2e/messages/everything/kills"],
    unit: "kills a runtime",
    suite: 10,
    long: 500,
  },
  "cursor-kills": {
    what: "kill -9 of a Host that stores a platform's events with its cursor: each is stored and answered once",
    files: ["e2e/endpoints/cursor"],
    unit: "kills",
    suite: 5,
    long: 200,
  },
  "database-kills": {
    what: "kill -9 of a Host under writers, on all runtimes in turn",
    files: ["e2e/database/kill"],
    unit: "kills",
    suite: 21,
    long: 200,
  },
  "power-loss": {
    what: "a machine that loses power after any write or sync, on fast, slow and failing disks: each acknowledged batch survives",
    files: ["e2e/database/power-loss"],
    unit: "losses a disk",
    suite: 20,
    long: 2000,
  },
  "older-copies": {
    what: "an older copy of the database: a start refuses it, and accept-older continues without what is missing",
    files: ["e2e/database/older"],
    unit: "copies a runtime",
    suite: 1,
    long: 30,
  },
  outages: {
    what: "a bot that is away for a minute to three days: nothing runs or arrives past its limit, is lost or doubled",
    files: ["e2e/messages/outages/outages", "e2e/messages/outages/killed"],
    unit: "rounds",
    suite: 20,
    long: 1000,
  },
  raid: {
    what: "500 joins a second and 10,000 messages a minute: others are answered within 2 s, health p99 is at most 100 ms",
    files: ["e2e/messages/outages/raid"],
    unit: "seconds",
    suite: 3,
    long: 60,
  },
  "storage-cuts": {
    what: "a remote database that is cut off, and files that cannot be stored: no handler fails that did not fail itself",
    files: ["e2e/messages/failing-storage"],
    unit: "cuts a runtime",
    suite: 1,
    long: 100,
  },
  "page-damage": {
    what: "one damaged leaf page of any table or index: a check names the table, or the database does not open",
    files: ["contract/database/damage"],
    unit: "pages",
    suite: 11,
    long: 500,
  },
  "config-texts": {
    what: "random texts as a configuration: each is a configuration, or is refused with findings that have a position",
    files: ["contract/config/documents"],
    unit: "texts",
    suite: 500,
    long: 20_000,
  },
  "file-truncations": {
    what: "another process empties the database or its log under writers: no later write is acknowledged and lost",
    files: ["contract/database/place"],
    unit: "truncations",
    suite: 12,
    long: 500,
  },
  "checkpoint-kills": {
    what: "create, verify and restore, killed at any moment and at any fsync or removal",
    files: ["e2e/checkpoint/kill"],
    unit: "kills",
    suite: 12,
    long: 200,
    seed: 11,
  },
  "call-kills": {
    what: "commands killed at each rename, fsync and removal: a restore, rollback, installation and compaction are complete or undone",
    files: [
      "e2e/checkpoint/kill",
      "e2e/checkpoint/mixing",
      "e2e/database/capacity",
      "e2e/release/install",
      "e2e/release/rollback",
      "e2e/restart/state-kills",
    ],
    unit: "percent of the calls",
    suite: 8,
    long: 100,
  },
  "checkpoint-changes": {
    what: "altered checkpoints: verify rejects each",
    files: ["e2e/checkpoint/mutations"],
    unit: "changes",
    suite: 220,
    long: 5000,
    seed: 0,
  },
  "inbox-model": {
    what: "random histories of the inbox, against a model of its promise",
    files: ["contract/inbox/model"],
    unit: "histories",
    suite: undefined,
    long: 5000,
  },
  "outbox-model": {
    what: "random histories of the outbox, against a model of its promise",
    files: ["contract/outbox/model"],
    unit: "histories",
    suite: undefined,
    long: 5000,
  },
  "stream-model": {
    what: "event-stream clients through restarts, kills, eviction and restores",
    files: ["contract/events/stream-model"],
    unit: "episodes",
    suite: 600,
    long: 10_000,
    seed: 20_261_121,
  },
  "reload-load": {
    what: "a plugin is edited under 50 messages per second, on each runtime: no message is lost and none fails",
    files: ["e2e/generation/reload-load"],
    unit: "reloads",
    suite: 20,
    long: 200,
    seed: 13,
  },
  fallbacks: {
    what: "agents whose three models fail in fourteen ways: each run ends with its answer, and spending is never below use",
    files: ["contract/agents/engine/fallback-loop"],
    unit: "failures",
    suite: 1000,
    long: 20_000,
  },
  "job-kills": {
    what: "a scheduler killed at any write",
    files: ["contract/scheduler/kills"],
    unit: "histories",
    suite: 15,
    long: 500,
    seed: 0,
  },
  "workroom-kills": {
    what: "kill -9 of a process that records work items, in files and in tables",
    files: ["e2e/workroom/kill"],
    unit: "kills",
    suite: 16,
    long: 1000,
  },
  "workroom-flips": {
    what: "single bits flipped in the Journal, the Catalog and their head: each is detected",
    files: ["contract/workroom/flips"],
    unit: "flips",
    suite: 4000,
    long: 100_000,
    seed: 5,
  },
  "workroom-model": {
    what: "random commands to both stores of the workroom, against a model",
    files: ["contract/workroom/model"],
    unit: "commands",
    suite: 15_000,
    long: 100_000,
  },
  "wrong-statements": {
    what: "a plugin's wrong statements on a remote database among other messages: only its own handlers fail",
    files: ["e2e/database/remote"],
    unit: "messages",
    suite: 330,
    long: 11_000,
  },
  soak: {
    what: "two virtual weeks with messages, files, agents, reloads and reconnections: memory, database and log stay flat",
    files: ["e2e/host/soak"],
    unit: "messages",
    suite: 0,
    long: 200_000,
  },
  "retained-year": {
    what: "a simulated year of messages, jobs and gaps under the default retention",
    files: ["contract/capacity/retained-year"],
    unit: "messages a day",
    suite: 60,
    long: 1000,
  },
} as const satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof table

/** The fault tests of `bun run faults`, by name. */
export const faults: Readonly<Record<FaultName, Fault>> = table

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(faults, name)
