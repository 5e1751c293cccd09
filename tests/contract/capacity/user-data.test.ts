import {describe, expect, test} from "vitest"
import type {Database} from "../../../server/database/database.ts"
import {UserData} from "../../../server/project/capacity/user/user-data.ts"
import {Problem} from "../../../shared/problems.ts"
import {agentApproval, agentRun, agentStep} from "../../support/agents/rows.ts"
import {engines, localDatabase, open} from "../../support/database/databases.ts"
import {insert} from "../../support/database/insert.ts"

const ann = {endpoint: "e", user: "ann"}

/** Every row of Ann's contains this word; every row of other users contains `kept`. */
const canary = "canary"
const kept = "kept"

const dm = {id: "dm-ann", type: 1}
const group = {id: "group", type: 0}

const eventOf = (user: string, channel: object | undefined, word: string) => ({
  type: "message-created",
  timestamp: 1,
  login: {platform: "p"},
  ...(channel === undefined ? {} : {channel: {...channel, name: word}}),
  user: {id: user, name: word, account: `acc-${user}`},
  message: {id: "1", content: `it is ${word}`},
  _data: {word},
})

const inbox = (seq: number, user: string, channel: object | undefined, word: string, endpoint = "e") => ({
  sql: "INSERT INTO inbox (seq, endpoint, event_id, conversation, type, received_at, event, raw) VALUES (?, ?, ?, 'c', 'message-created', 1, ?, ?)",
  args: [seq, endpoint, `id-${seq}`, JSON.stringify(eventOf(user, channel, word)), JSON.stringify({data: word})],
})

/** A timer event with text for a channel. */
const firing = (seq: number, channel: object, word: string) => ({
  sql: "INSERT INTO inbox (seq, endpoint, event_id, conversation, type, received_at, event) VALUES (?, 'e', ?, 'c', 'timer', 1, ?)",
  args: [seq, `id-${seq}`, JSON.stringify({type: "timer", timestamp: 1, login: {}, channel, _data: {word}})],
})

const mark = (seq: number, state: string, word: string | null = null) =>
  insert("inbox_marks", {seq, handler: `h-${state}`, state, error: word})

interface Out {
  readonly channel: string
  readonly user?: string
  readonly state: string
  readonly answers?: number
  readonly kind?: string
  readonly content?: unknown
  readonly endpoint?: string
}

const outbox = (id: string, word: string, {channel, user, state, answers, kind, content, endpoint}: Out) => ({
  sql: `INSERT INTO outbox (id, kind, endpoint, channel, user, content, state, created_at, error, inbox_seq, not_before)
    VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)`,
  args: [
    ...[id, kind ?? "message", endpoint ?? "e", channel, user ?? null, JSON.stringify(content ?? [`got ${word}`])],
    ...[state, word, answers ?? null, state === "scheduled" ? 9e12 : 0],
  ],
})

const timer = (id: string, user: string | null, channel: string, word: string) => ({
  sql: `INSERT INTO timers (id, plugin, name, due_at, missed, data, endpoint, channel, user, place, created_at)
    VALUES (?, 'p', 't', 9e12, 'once', ?, 'e', ?, ?, ?, 1)`,
  args: [id, JSON.stringify(word), channel, user, JSON.stringify({channel: {id: channel, name: word}})],
})

const state = (scope: string, subject: string, name: string, word: string) => ({
  sql: "INSERT INTO plugin_state (plugin, scope, endpoint, subject, name, value, version, updated_at) VALUES ('p', ?, 'e', ?, ?, ?, 1, 1)",
  args: [scope, subject, name, JSON.stringify(word)],
})

const prompt = (id: string, user: string, asked: number, word: string) => ({
  sql: "INSERT INTO prompts (id, handler, endpoint, channel, user, data, expires_at, asked_seq) VALUES (?, 'h', 'e', ?, ?, ?, 9e12, ?)",
  args: [id, `c-${id}`, user, JSON.stringify(word), asked],
})

const askedBy = (seq: number, user: string, word: string) => [
  agentRun(seq, {
    ...{agent: "writer", state: "succeeded", endpoint: "e", channel: `dm-${user}`, user},
    ...{input: word, answer: word, error: word, place: JSON.stringify({name: word})},
  }),
  agentStep(seq, 1, {input: JSON.stringify(word), output: JSON.stringify(word), error: word}),
  agentApproval(seq, 1, {state: "approved", shown: word, reason: word}),
]
const memory = (user: string, word: string) =>
  insert("agent_memories", {
    ...{agent: "writer", scope: "user", owner: "m", spot: "m", endpoint: "e", channel: "c", user},
    ...{author: JSON.stringify({id: user}), text: word, words: word, created_at: 1, expires_at: 9e12},
  })
const agentRows = [
  memory("ann", canary),
  memory("ben", kept),
  ...askedBy(1, "ann", canary),
  ...askedBy(2, "ann", canary),
  ...askedBy(3, "ben", kept),
]

/** Stores messages of Ann and others in every place that keeps them. */
const fill = (database: Database) =>
  database.write([
    {sql: "CREATE TABLE p_notes_lines (line TEXT)"},
    ...agentRows,
    inbox(1, "ann", dm, canary),
    mark(1, "handled", canary),
    mark(1, "pending"),
    mark(1, "dead", canary),
    inbox(2, "bob", group, kept),
    mark(2, "failed", kept),
    inbox(3, "ann", group, canary),
    // The same id on another platform is another user.
    inbox(4, "ann", dm, kept, "other"),
    firing(5, dm, canary),
    firing(6, group, kept),
    // Far enough from the first row that slices lie between them.
    inbox(1000, "ann", undefined, canary),
    outbox("answer", canary, {channel: "group", state: "sent", answers: 3}),
    outbox("answer-elsewhere", canary, {endpoint: "other", channel: "log", state: "dead", answers: 3}),
    outbox("direct", canary, {channel: "dm-ann", state: "queued"}),
    outbox("edit", canary, {
      channel: "dm-ann",
      state: "failed",
      kind: "edit",
      content: {message: {outbox: "direct"}, content: [canary]},
    }),
    // Bob pressed a button of what the bot answered to Ann.
    outbox("edit-for-bob", canary, {
      channel: "group",
      state: "sent",
      answers: 2,
      kind: "edit",
      content: {message: {outbox: "answer"}, content: [canary]},
    }),
    outbox("later", canary, {channel: "user:ann", user: "ann", state: "scheduled"}),
    outbox("mute", canary, {
      channel: "guild",
      state: "held",
      kind: "call",
      content: {method: "guild.member.mute", params: {user_id: "ann", why: canary}},
    }),
    outbox("invite", canary, {
      channel: "C1",
      state: "sent",
      kind: "call",
      content: {method: "slack/conversations.invite", params: {users: "ben,ann", why: canary}},
    }),
    outbox("bob", kept, {channel: "group", state: "sent", answers: 2}),
    // A channel that two users share, as in the sandbox.
    outbox("bob-direct", kept, {channel: "dm-ann", state: "queued", answers: 2}),
    outbox("bob-later", kept, {channel: "user:bob", user: "bob", state: "scheduled"}),
    timer("t1", "ann", "group", canary),
    timer("t2", null, "dm-ann", canary),
    timer("t3", "bob", "dm-ann", kept),
    state("user", "ann", "one", canary),
    state("user", "ann", "two", canary),
    state("channel", "dm-ann", "one", canary),
    state("user", "bob", "one", kept),
    state("channel", "group", "one", kept),
    prompt("q1", "id ann", 3, canary),
    prompt("q2", "account acc-ann", 3, canary),
    prompt("q3", "account acc-bob", 2, kept),
    insert("agent_members", {endpoint: "e", person: "id ann", user: "ann", code: canary}),
    insert("agent_members", {endpoint: "e", person: "account acc-ann", user: "ann", seen: 9, code: canary}),
    insert("agent_members", {endpoint: "e", person: "id bob", user: "bob", seen: 9, code: kept}),
    insert("agent_members", {endpoint: "other", person: "id ann", user: "ann", seen: 9, code: kept}),
  ])

const countsOfAnn = {
  inbox: 4,
  errors: 4,
  outbox: 8,
  agents: 2,
  memories: 1,
  timers: 2,
  state: 3,
  prompts: 2,
  members: 2,
}
const nothing = {inbox: 0, errors: 0, outbox: 0, agents: 0, memories: 0, timers: 0, state: 0, prompts: 0, members: 0}

const remains = async () => ({checkpoints: ["20260101-000000-abcdef"], workItems: 2, eventLog: "24h"})

const dropFiles = async () => {}

const running = (database: Database) => new UserData({database, dropFiles, remains, forgotten: () => {}})

const once = {dryRun: false, next: undefined}

const dump = async (database: Pick<Database, "read">, but: readonly string[] = []): Promise<string> => {
  const tables = await database.read(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  )
  const names = tables.map(({name}) => String(name)).filter(name => !but.includes(name))
  return JSON.stringify(await Promise.all(names.map(name => database.read(`SELECT * FROM "${name}"`))))
}

const occurrences = (text: string, word: string): number => text.split(word).length - 1

const told = async (database: Database) =>
  (await database.read("SELECT data FROM events WHERE type = 'user.forgotten' ORDER BY offset")).map(
    ({data}) => JSON.parse(String(data)) as {part: string; rows: number},
  )

const linesOf = async (data: UserData) => {
  let text = ""
  for await (const piece of data.export(ann, "bot")) text += piece
  return text
    .trimEnd()
    .split("\n")
    .map(line => JSON.parse(line) as Record<string, unknown>)
}

describe.each(engines)("in $name", ({make}) => {
  test("a deletion removes every message from and to the user, and none of others", async () => {
    const database = await open(await make())
    await fill(database)
    const before = occurrences(await dump(database), kept)
    expect((await running(database).forget(ann, {dryRun: true, next: undefined})).counts).toMatchObject({
      ...countsOfAnn,
      errors: expect.any(Number),
    })
    expect(await told(database)).toEqual([])

    const done = await running(database).forget(ann, once)
    expect(done).toMatchObject({
      counts: {...countsOfAnn, errors: expect.any(Number)},
      busy: 0,
      next: null,
      remains: {checkpoints: ["20260101-000000-abcdef"], workItems: 2, pluginTables: ["p_notes_lines"]},
    })
    expect(done.counts.errors).toBeGreaterThan(0)
    const after = await dump(database)
    expect([occurrences(after, canary), occurrences(after, kept)]).toEqual([0, before])

    expect(await database.read("SELECT id, state, reason FROM outbox WHERE state <> 'sent' ORDER BY id")).toEqual([
      {id: "answer-elsewhere", state: "discarded", reason: null},
      {id: "bob-direct", state: "queued", reason: null},
      {id: "bob-later", state: "scheduled", reason: null},
      {id: "direct", state: "discarded", reason: "cancelled"},
      {id: "edit", state: "discarded", reason: null},
      {id: "later", state: "discarded", reason: "cancelled"},
      {id: "mute", state: "discarded", reason: "cancelled"},
    ])
    expect(await database.read("SELECT state FROM inbox_marks WHERE seq = 1 ORDER BY handler")).toEqual([
      {state: "discarded"},
      {state: "handled"},
      {state: "discarded"},
    ])
    // A redelivered event is still recognized.
    expect(await database.read("SELECT count(*) AS n FROM inbox WHERE event_id LIKE 'id-%'")).toEqual([{n: 7}])
    const sums = Map.groupBy(await told(database), ({part}) => part)
    expect(
      Object.fromEntries([...sums].map(([part, all]) => [part, all.reduce((sum, {rows}) => sum + rows, 0)])),
    ).toEqual(done.counts)
    expect(JSON.stringify(await told(database))).not.toContain("ann")

    expect((await running(database).forget(ann, once)).counts).toEqual(nothing)
  })

  test("the export has every row of the user with counts, and none of another user's", async () => {
    const database = await open(await make())
    await fill(database)
    const lines = await linesOf(running(database))
    const {errors: _, ...counts} = countsOfAnn
    expect(lines[0]).toMatchObject({part: "user", format: 1, project: "bot", ...ann})
    expect(lines.at(-1)).toEqual({part: "end", counts})
    const rows = lines.slice(1, -1)
    expect(
      Object.fromEntries([...Map.groupBy(rows, row => row.part)].map(([part, all]) => [part, all.length])),
    ).toEqual(counts)
    expect(rows.every(row => JSON.stringify(row).includes(canary))).toBe(true)
    expect(JSON.stringify(rows)).not.toContain(kept)
    expect(rows.find(({seq}) => seq === 1)).toMatchObject({
      event: {message: {content: "it is canary"}},
      raw: {data: canary},
      handlers: expect.arrayContaining([{handler: "h-dead", state: "dead", error: canary}]),
    })
  })
})

/** Stores a running handler for an event of Ann's, and a message in transit to her. */
const openInHands = async (): Promise<Database> => {
  const database = await open(await localDatabase())
  await database.write([
    inbox(1, "ann", dm, canary),
    mark(1, "running"),
    outbox("m", canary, {channel: "dm-ann", state: "sending"}),
  ])
  return database
}

test("data in use by a handler or the platform is reported, and deleted after its end", async () => {
  const database = await openInHands()
  expect(await running(database).forget(ann, once)).toMatchObject({counts: nothing, busy: 2, next: null})
  expect(await dump(database)).toContain(canary)
  await database.write([{sql: "UPDATE inbox_marks SET state = 'handled'"}, {sql: "UPDATE outbox SET state = 'sent'"}])
  expect(await running(database).forget(ann, once)).toMatchObject({counts: {inbox: 1, outbox: 1}, busy: 0})
  expect(await dump(database)).not.toContain(canary)
})

test("without a Host, the deletion includes data that a kill interrupted", async () => {
  const database = await openInHands()
  expect(await new UserData({database, dropFiles, remains}).forget(ann, once)).toMatchObject({busy: 0})
  expect(await dump(database)).not.toContain(canary)
})

/** A database that stops after this number of batches, like that of a killed process. */
const dyingAfter = (database: Database, batches: number): Database => {
  let left = batches
  return new Proxy(database, {
    get: (of, name) => {
      if (name !== "write") {
        const found: unknown = Reflect.get(of, name, of)
        return typeof found === "function" ? found.bind(of) : found
      }
      return async (...args: Parameters<Database["write"]>) => {
        if (left-- <= 0) throw new Problem("stopping", "killed")
        return of.write(...args)
      }
    },
  })
}

test("a deletion cut off after any of its batches reaches the same end when repeated", async () => {
  const whole = await open(await localDatabase())
  await fill(whole)
  await running(whole).forget(ann, once)
  const volatile = "svc_meta svc_runs svc_migrations svc_group event_contexts events outbox inbox_marks".split(" ")
  const ended = await dump(whole, volatile)
  const shape =
    "SELECT id, state, content, error, reason FROM outbox UNION ALL SELECT seq, state, handler, error, 0 FROM inbox_marks"
  const batches = (await told(whole)).length
  expect(batches).toBeGreaterThan(5)
  for (let cut = 0; cut < batches; cut++) {
    const database = await open(await localDatabase())
    await fill(database)
    await expect(running(dyingAfter(database, cut)).forget(ann, once)).rejects.toMatchObject({code: "stopping"})
    expect(await told(database)).toHaveLength(cut)
    await running(database).forget(ann, once)
    expect(await dump(database, volatile)).toBe(ended)
    expect(await database.read(shape)).toEqual(await whole.read(shape))
    expect(await told(database)).toEqual(await told(whole))
  }
})

test("a long table is read in slices, resuming where the last answer stopped", async () => {
  const database = await open(await localDatabase())
  await fill(database)
  const rest = JSON.stringify({part: 3, after: 3, channels: ["dm-ann"]})
  const {counts} = await running(database).forget(ann, {dryRun: false, next: rest})
  expect(counts).toEqual({...nothing, outbox: 5, agents: 2, memories: 1, timers: 1, state: 3, prompts: 2, members: 2})
  for (const next of ["x", "{}", '{"part":99,"after":0,"channels":[]}'])
    await expect(running(database).forget(ann, {dryRun: true, next})).rejects.toMatchObject({code: "request_invalid"})
})
