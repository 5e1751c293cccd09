import {describe, expect, test} from "vitest"
import {sha256Of} from "../../../server/runtime/files.ts"
import {Catalog} from "../../../server/workroom/store/catalog.ts"
import {canonical, genesis} from "../../../server/workroom/store/record.ts"
import {replay} from "../../../server/workroom/store/store.ts"
import {itemStates} from "../../../shared/api/item-rules.ts"
import type {Item} from "../../../shared/api/workroom.ts"
import {Problem} from "../../../shared/problems.ts"
import {Chance, until} from "../../support/host/host.ts"
import {errorOf} from "../../support/host/problems.ts"
import {add, authority, bring, fill, on, randomRequest, stores, ways} from "../../support/workroom/workroom.ts"

const problemOf = async (work: Promise<unknown>): Promise<Problem> => {
  const error = await errorOf(work)
  if (error instanceof Problem) return error
  throw error
}

const problemCode = async (work: Promise<unknown>) => (await problemOf(work)).code

describe.each(stores)("the workroom in $name", ({make}) => {
  test("moves an item through its states, one revision per command, and keeps it after a restart", async () => {
    const place = await make()
    const workroom = await place.open()
    const added = await workroom.run(add("write the docs", {labels: ["docs"], priority: "high"}))
    expect(added).toMatchObject({
      id: 1,
      revision: 1,
      state: "open",
      priority: "high",
      labels: ["docs"],
      createdBy: "user:ada",
    })
    const active = await workroom.run(on(added, {is: "claim", assignee: "user:grace"}))
    expect(active).toMatchObject({revision: 2, state: "active", assignee: "user:grace"})
    const blocked = await workroom.run(on(active, {is: "block", reason: "a review", owner: "user:ada", deadline: null}))
    expect(blocked).toMatchObject({state: "blocked", blocker: {reason: "a review", owner: "user:ada", overdue: false}})
    const again = await workroom.run(on(blocked, {is: "unblock"}))
    expect(again).toMatchObject({state: "active", blocker: null})
    const review = await workroom.run(on(again, {is: "review"}))
    const noted = await workroom.run(on(review, {is: "comment", text: "looks good"}))
    expect(noted.comments).toMatchObject([{actor: "user:ada", text: "looks good"}])
    const done = await workroom.run(on(noted, {is: "accept"}))
    expect(done).toMatchObject({state: "done", revision: 7})
    await workroom.close()
    expect((await place.open()).item(1)).toEqual(done)
  })

  test("accepts each state's own commands, and refuses the others with the item as it is", async () => {
    const workroom = await (await make()).open()
    const accepted: string[] = []
    for (const state of itemStates) {
      const commands = [
        {is: "claim", assignee: "user:x"},
        {is: "block", reason: "r", owner: null, deadline: null},
        {is: "unblock"},
        {is: "review"},
        {is: "accept"},
        {is: "cancel", reason: null},
        {is: "comment", text: "t"},
      ] as const
      for (const command of commands) {
        const item = await bring(workroom, await workroom.run(add("way")), state)
        const outcome = await workroom.run(on(item, command)).catch((error: unknown) => error)
        if (outcome instanceof Problem)
          expect(outcome).toMatchObject({code: "workroom_state", status: 409, current: item})
        else accepted.push(`${state} ${command.is} ${(outcome as Item).state}`)
      }
    }
    expect(accepted).toEqual([
      "open claim active",
      "open cancel cancelled",
      "open comment open",
      "active claim active",
      "active block blocked",
      "active review review",
      "active cancel cancelled",
      "active comment active",
      "blocked unblock active",
      "blocked cancel cancelled",
      "blocked comment blocked",
      "review claim active",
      "review accept done",
      "review cancel cancelled",
      "review comment review",
      "done comment done",
      "cancelled comment cancelled",
    ])
  })

  test("refuses a command for an older revision with the current state", async () => {
    const workroom = await (await make()).open()
    const item = await workroom.run(add("contested"))
    const [first, second] = await Promise.allSettled([
      workroom.run(on(item, {is: "claim", assignee: "user:ada"})),
      workroom.run(on(item, {is: "claim", assignee: "user:grace"})),
    ])
    expect(first).toMatchObject({status: "fulfilled", value: {assignee: "user:ada"}})
    expect(second).toMatchObject({
      status: "rejected",
      reason: {code: "workroom_stale", status: 409, current: {revision: 2, assignee: "user:ada"}},
    })
    expect(await problemCode(workroom.run(on({...item, id: 99}, {is: "unblock"})))).toBe("workroom_unknown")
    expect(workroom.head.seq).toBe(2)
  })

  test("carries the same request out once", async () => {
    const place = await make()
    const workroom = await place.open()
    const request = add("once", {request: "inbox/7"})
    const [one, same] = await Promise.all([workroom.run(request), workroom.run(request)])
    expect(same).toEqual(one)
    const noted = await workroom.run(on(one, {is: "comment", text: "hello", request: "inbox/8"}))
    expect(await workroom.run(on(one, {is: "comment", text: "hello", request: "inbox/8"}))).toEqual(noted)
    expect(await workroom.run(request)).toEqual(noted)
    await workroom.close()
    expect((await (await place.open()).run(request)).comments).toHaveLength(1)
  })

  test("keeps its Journal as a chain of hashes over canonical JSON that starts with the authority", async () => {
    const workroom = await (await make()).open()
    await fill(workroom, 40)
    const records = [...(await workroom.journal(Number.MAX_SAFE_INTEGER, 100))].reverse()
    expect(records.map(({seq}) => seq)).toEqual(Array.from({length: 40}, (_, index) => index + 1))
    let before = genesis(authority)
    for (const {hash, ...body} of records) {
      expect(Object.keys(body).sort()).toEqual(["actor", "at", "command", "item", "prevHash", "seq"])
      expect(body.prevHash).toBe(before)
      expect(hash).toBe(sha256Of(canonical(body)))
      before = hash
    }
    expect(workroom.head).toEqual({seq: 40, hash: before})
    expect(await workroom.journal(11, 3)).toEqual(records.slice(7, 10).reverse())
  })

  test("rebuilds its Catalog from the Journal, byte for byte", async () => {
    const place = await make()
    const workroom = await place.open()
    await fill(workroom, 600)
    expect(await workroom.verify()).toMatchObject({seq: 600, items: workroom.items.length})
    await workroom.close()
    const store = await place.store()
    const kept = await store.kept()
    expect(kept.seq).toBe(600)
    expect((await replay(take => store.read(1, 600, take), new Catalog(authority))).text()).toBe(kept.text)
  })

  test("refuses a store of another authority, and names both", async () => {
    const place = await make()
    const workroom = await place.open()
    await workroom.run(add("ours"))
    await workroom.close()
    const problem = await problemOf(place.open("another"))
    expect(problem.code).toBe("authority_mismatch")
    expect(problem.message).toContain(`authority ${authority}, `)
  })

  test("writes commands that arrive together at once, and each sees the results of those before", async () => {
    const workroom = await (await make()).open()
    const chance = new Chance(7)
    const items = await Promise.all(Array.from({length: 300}, (_, n) => workroom.run(add(`item ${n}`))))
    expect(items.map(({id}) => id)).toEqual(Array.from({length: 300}, (_, index) => index + 1))
    const outcomes = await Promise.allSettled(
      Array.from({length: 500}, () => workroom.run(randomRequest(chance, 300, () => 1))),
    )
    const accepted = outcomes.filter(({status}) => status === "fulfilled").length
    expect(accepted).toBeGreaterThan(50)
    expect(workroom.head.seq).toBe(300 + accepted)
    await workroom.verify()
  })

  test("reports a blocker's deadline once, also when it passed without a running Host", async () => {
    const place = await make()
    const workroom = await place.open()
    const active = await bring(workroom, await workroom.run(add("late")), "active")
    const deadline = new Date(Date.now() + 50).toISOString()
    await workroom.run(on(active, {is: "block", reason: "parts", owner: null, deadline}))
    await workroom.close()
    await new Promise(resolve => setTimeout(resolve, 60))
    const next = await place.open()
    await until("the deadline to be reported", () => next.item(1).blocker?.overdue)
    await next.close()
    const last = await place.open()
    await new Promise(resolve => setTimeout(resolve, 30))
    const told = (await last.journal(100, 100)).filter(({command}) => command.is === "overdue")
    expect(told).toMatchObject([{actor: "host", item: 1, command: {deadline}}])
    expect(last.head.seq).toBe(4)
  })

  test("has every state in the table of these tests", () => expect(Object.keys(ways)).toEqual([...itemStates]))
})
