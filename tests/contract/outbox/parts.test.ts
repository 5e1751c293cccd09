import {describe, expect, onTestFinished, test} from "vitest"
import {noPolicy, type Policy} from "../../../server/endpoints/policy.ts"
import type {OutboxDraft} from "../../../server/outbox/draft.ts"
import {Outbox} from "../../../server/outbox/outbox.ts"
import {refused} from "../../../shared/sdk/adapter/refusal.ts"
import type {Sender} from "../../../shared/sdk/adapter/sender.ts"
import {engines, log, open, until} from "../../support/database/databases.ts"
import {outboxRow} from "../../support/database/insert.ts"

type Act = Pick<OutboxDraft, "id" | "kind" | "content">

const policy: Policy = {...noPolicy, limits: {text: 4}}

const long = (id: string, text = "1111222233334"): Act => ({id, kind: "message", content: [text]})

describe.each(engines)("a message in parts, on $name,", ({make}) => {
  const start = async (send: Sender["send"], how: Policy = policy) => {
    const database = await open(await make())
    const done: string[] = []
    const sender: Sender = {
      send: async (message, signal) => {
        done.push(`send ${message.id} ${message.content.join("")}`)
        return send(message, signal)
      },
      edit: async ({message, content}) => void done.push(`edit ${message} ${content.join("")}`),
      delete: async ({message}) => void done.push(`delete ${message}`),
    }
    const run = async () => {
      const outbox = new Outbox(database, log, {
        timing: {retry: {first: 10, longest: 10}, limit: 1000, mostAttempts: 3},
      })
      await outbox.start({sender: () => sender, policy: () => how})
      onTestFinished(() => outbox.drain())
      return outbox
    }
    const read = () =>
      database.read("SELECT id, state, platform_ids, progress, error, reason, attempt FROM outbox ORDER BY seq")
    const isOver = async () => (await read()).every(({state}) => state !== "queued" && state !== "sending")
    const outbox = await run()
    const enqueue = async (...acts: readonly Act[]) => {
      for (const act of acts) await outbox.enqueue({...act, endpoint: "line", channel: "team"} as OutboxDraft)
      await until("the messages to end", isOver)
    }
    return {outbox, done, read, enqueue, database, run, isOver}
  }
  const take: Sender["send"] = async ({id}) => ({ids: [`p-${id}`]})

  test("is one row: its parts have their own ids, in order, without other messages in between", async () => {
    const {enqueue, read, done} = await start(take)
    await Promise.all([enqueue(long("a")), enqueue(long("b", "5555666")), enqueue(long("c", "7"))])
    expect(done).toEqual(
      ["a 1111", "a.2 2222", "a.3 3333", "a.4 4", "b 5555", "b.2 666", "c 7"].map(part => `send ${part}`),
    )
    expect((await read()).map(({platform_ids, progress}) => [platform_ids, progress])).toEqual([
      ['["p-a","p-a.2","p-a.3","p-a.4"]', null],
      ['["p-b","p-b.2"]', null],
      ['["p-c"]', null],
    ])
  })

  test("continues with the part that failed, and states how many parts arrived when it gives up", async () => {
    let left = 2
    const {enqueue, read, done, outbox, isOver} = await start(async message => {
      if (message.id === "a.3" && left-- > 0) throw new Error("not now")
      if (message.id === "b.2") throw refused("too bold", {reason: "rejected", remediation: "Say it otherwise."})
      return take(message, new AbortController().signal)
    })
    await enqueue(long("a"), long("b", "5555666"))
    expect(done.map(each => each.split(" ")[1])).toEqual(["a", "a.2", "a.3", "a.3", "a.3", "a.4", "b", "b.2"])
    const [a, b] = await read()
    expect(a).toMatchObject({state: "sent", platform_ids: '["p-a","p-a.2","p-a.3","p-a.4"]'})
    expect(b).toMatchObject({state: "failed", error: "1 of 2 parts arrived; too bold", platform_ids: '["p-b"]'})
    await outbox.act("retry", {id: "b"})
    await until("another attempt", isOver)
    expect(done.at(-1)).toBe("send b.2 666")
    expect(done.filter(each => each.startsWith("send b "))).toHaveLength(1)
  })

  test("tells the platform which part was started before, and only that one", async () => {
    const failed = new Set<string>()
    const told: string[] = []
    const {enqueue, outbox, isOver} = await start(async message => {
      told.push(`${message.id} ${message.repeated ?? "new"}`)
      if (["a", "a.3", "b"].includes(message.id) && !failed.has(message.id)) {
        failed.add(message.id)
        if (message.id === "b") throw refused("not this one", {reason: "rejected", remediation: "Say it otherwise."})
        throw new Error("not now")
      }
      return take(message, new AbortController().signal)
    })
    await enqueue(long("a"), long("b", "5"))
    await outbox.act("retry", {id: "b"})
    await until("another attempt", isOver)
    expect(told).toEqual(["a new", "a true", "a.2 new", "a.3 new", "a.3 true", "a.4 new", "b new", "b true"])
  })

  test("counts the attempts of each part from one", async () => {
    const failed = new Set<string>()
    const {enqueue, read, done} = await start(async message => {
      if (failed.has(message.id)) return take(message, new AbortController().signal)
      failed.add(message.id)
      throw new Error("not now")
    })
    // Six failures; the limit is three in a row.
    await enqueue(long("a", "111122223333444455556666"))
    expect(done).toHaveLength(12)
    expect((await read())[0]).toMatchObject({state: "sent", error: null})
  })

  test.each([
    ["idempotent", {...policy, idempotent: true}, "sent", ["a.3", "a.4"]],
    ["not idempotent", policy, "unknown", []],
  ] as const)(
    "interrupted by the Host's death at its third part, when the platform is %s",
    async (_, how, state, more) => {
      const {read, done, database, run, isOver} = await start(take, how)
      const begun = {platform_ids: '["p-a","p-a.2"]', progress: '{"done":2,"of":4,"limit":4}'}
      const sending = {content: '["1111222233334"]', state: "sending", attempt: 3, spared: 2, ...begun}
      await database.write([outboxRow("a", sending)])
      await run()
      await until("the message to end", isOver)
      expect(done.map(each => each.split(" ")[1])).toEqual(more)
      const [row] = await read()
      expect(row?.state).toBe(state)
      if (state === "unknown") expect(row?.error).toMatch(/^2 of 4 parts arrived; the Host ended/)
      else expect(row?.platform_ids).toBe('["p-a","p-a.2","p-a.3","p-a.4"]')
    },
  )

  test("is edited part by part: existing, new and superfluous ones", async () => {
    const {enqueue, read, done} = await start(take)
    const edit = (id: string, text: string): Act => ({
      id,
      kind: "edit",
      content: {message: {outbox: "a"}, content: [text]},
    })
    await enqueue(long("a", "11112222"), edit("b", "aaaabbbbcccc"), edit("c", "dddd"), {
      id: "d",
      kind: "delete",
      content: {message: {outbox: "a"}},
    })
    expect(done.slice(2)).toEqual([
      "edit p-a aaaa",
      "edit p-a.2 bbbb",
      "send b.3 cccc",
      "edit p-a dddd",
      "delete p-a.2",
      "delete p-b.3",
      "delete p-a",
    ])
    expect((await read()).map(({state}) => state)).toEqual(["sent", "sent", "sent", "sent"])
  })

  test("keeps to its endpoint's pace with each part", async () => {
    const times: number[] = []
    const rates = [{messages: 1, per: 150}]
    const {enqueue} = await start(
      async message => {
        times.push(performance.now())
        return take(message, new AbortController().signal)
      },
      {...policy, rates},
    )
    await enqueue(long("a", "11112222333"))
    expect(times).toHaveLength(3)
    for (const [index, time] of times.entries())
      if (index > 0) expect(time - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(149)
  })
})
