import {describe, expect, test} from "vitest"
import {noEmbeddings} from "../../../server/agents/memory/embedder.ts"
import {MemoryIndex} from "../../../server/agents/memory/memory-index.ts"
import type {MemoryPlace, MemoryScope} from "../../../server/agents/memory/places.ts"
import {recall} from "../../../server/agents/memory/recall.ts"
import {remembering} from "../../../server/agents/memory/rows.ts"
import {memoryTools} from "../../../server/agents/memory/tools.ts"
import {sweepMemories} from "../../../server/agents/memory/user-part.ts"
import {runOf as runOfRow} from "../../../server/agents/runs/run-rows.ts"
import type {Database} from "../../../server/database/database.ts"
import {copyRemote} from "../../../server/database/upkeep/copy-remote.ts"
import {bindingOf} from "../../support/agents/bindings.ts"
import {agentRun} from "../../support/agents/rows.ts"
import {callTool, runOf} from "../../support/agents/tool-use.ts"
import {engines, localDatabase, log, makeFolder, open, remoteDatabase} from "../../support/database/databases.ts"

const day = 86_400_000
const now = Date.UTC(2026, 4, 1)
const memory = {user: "30d", channel: "30d", summary: "none", commands: false}

const placeOf = (user: string, account?: string): MemoryPlace => ({
  agent: "helper",
  endpoint: "line",
  channel: "#team",
  user: {id: user, ...(account === undefined ? {} : {account})},
  isDirect: false,
})

const openMemory = async (database: Database) => {
  await database.write([agentRun(1, {agent: "helper", state: "succeeded"})])
  const memoryIndex = new MemoryIndex({database, log})
  const keep = (text: string, place = placeOf("ada"), scope: MemoryScope = "user", at = now) =>
    database.write([...remembering(place, {scope, text, source: 1, at, life: 30 * day})])
  const found = async (input: string, {user} = placeOf("ada"), settings = memory, at = now) => {
    const place = JSON.stringify({channel: {id: "#team", type: 0}, user})
    const run = runOfRow({seq: 2, agent: "helper", endpoint: "line", channel: "#team", place, input, created_at: at})
    const engine = {database, memoryIndex, embeddings: noEmbeddings, permissionOf: () => "user" as const}
    return (await recall(engine, run, bindingOf({memory: settings}))).map(({text}) => text)
  }
  return {database, memoryIndex, keep, found}
}

describe.each(engines)("memory in $name", ({make}) => {
  test("finds the words of a question first, in any script, also those from before the index", async () => {
    const {memoryIndex, keep, found} = await openMemory(await open(await make()))
    await keep("Ada likes strong coffee")
    await keep("我的狗叫旺财")
    for (let n = 0; n < 20; n++) await keep(`a remark ${n}`)
    await memoryIndex.ready()
    await keep("Der Schlüssel liegt im Büro")
    expect((await found("Wo ist mein Schluessel, im Buro?"))[0]).toBe("Der Schlüssel liegt im Büro")
    expect((await found("which coffees?"))[0]).toBe("Ada likes strong coffee")
    expect((await found("狗叫什么"))[0]).toBe("我的狗叫旺财")
    expect(await found(`"syntax) OR * NEAR(`)).toHaveLength(12)
  })

  test("ends with its time, at once for runs and later for the rows", async () => {
    const {database, keep, found} = await openMemory(await open(await make()))
    await keep("old words")
    await keep("of the channel", placeOf("bob"), "channel", now + day)
    expect(await found("words")).toEqual(["old words", "of the channel"])
    expect(await found("words", placeOf("ada"), {...memory, user: "7d"}, now + 8 * day)).toEqual(["of the channel"])
    const {channel: _, ...userOnly} = memory
    expect(await found("words", placeOf("ada"), userOnly as typeof memory)).toEqual(["old words"])
    expect(await found("words", placeOf("ada"), memory, now + 30 * day)).toEqual(["of the channel"])
    await sweepMemories(database, now + 30 * day, new AbortController().signal)
    expect(await database.read("SELECT text FROM agent_memories")).toEqual([{text: "of the channel"}])
  })
})

test("a name that somebody else has taken brings no memory, and an equal note replaces the older one", async () => {
  const {database, keep, found} = await openMemory(await open(await localDatabase()))
  await keep("secret of Ada", placeOf("ada", "acc-ada"))
  await keep("secret of Ada", placeOf("ada", "acc-ada"), "user", now + 1)
  expect(await found("secret", placeOf("ada"))).toEqual([])
  expect(await found("secret", placeOf("ada", "acc-ada"))).toEqual(["secret of Ada"])
  expect(await database.read("SELECT created_at FROM agent_memories")).toEqual([{created_at: now + 1}])
})

test("an author's oldest memories make room, and no other author's", async () => {
  const {database, keep} = await openMemory(await open(await localDatabase()))
  await keep("first of Bob", placeOf("bob"), "channel")
  for (let n = 0; n < 502; n++) await keep(`remark ${n}`, placeOf("ada"), "channel")
  const [counted] = await database.read(
    "SELECT count(*) AS n, min(seq) AS first FROM agent_memories WHERE user = 'ada'",
  )
  expect(counted).toEqual({n: 500, first: 4})
  expect(await database.read("SELECT text FROM agent_memories WHERE user = 'bob'")).toEqual([{text: "first of Bob"}])
})

test("a run without a user, a channel or the scope remembers nothing", async () => {
  const {database} = await openMemory(await open(await localDatabase()))
  const [remember, forget] = memoryTools({database, log})
  if (remember === undefined || forget === undefined) throw new Error("there are two tools")
  const note = {text: "x", about: "channel"} as const
  const {channel: _, ...userOnly} = memory
  const refusal = (run = runOf(), settings: Partial<typeof memory> = memory) =>
    remember.refusal?.(note, bindingOf({memory: {summary: "none", commands: false, ...settings}}), run)
  expect(refusal()).toBeUndefined()
  expect(refusal(runOf({place: {}}))).toBeDefined()
  expect(refusal(runOf({item: 7}))).toBeDefined()
  expect(refusal(runOf({channel: undefined}))).toBeDefined()
  expect(refusal(runOf(), userOnly)).toBeDefined()
  expect(forget.refusal?.({}, bindingOf({memory}), runOf())).toBeDefined()
  await expect(callTool(remember, {text: "x".repeat(501), about: "user"})).rejects.toThrow()
})

test("a copy of a remote database leaves the index out, and a Host makes it again", async () => {
  const {location, server} = await remoteDatabase()
  const {database, keep, memoryIndex} = await openMemory(await open(location))
  await memoryIndex.ready()
  await keep("copied words")
  await database.close()
  const file = `${makeFolder()}/copy.sqlite`
  await copyRemote({url: server.url}, file)
  const copy = await open({dialect: "sqlite", file})
  expect(await new MemoryIndex({database: copy, log}).ready()).toBe(true)
  const match = "SELECT rowid FROM memory_index WHERE memory_index MATCH 'words : copied'"
  expect(await copy.read(match)).toEqual([{rowid: 1}])
})
