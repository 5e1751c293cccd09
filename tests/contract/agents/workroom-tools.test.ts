import {describe, expect, test} from "vitest"
import type {ToolUse} from "../../../server/agents/runs/tool.ts"
import {workroomTools} from "../../../server/agents/tools/workroom/workroom.ts"
import type {Workroom} from "../../../server/workroom/workroom.ts"
import {callTool, runOf} from "../../support/agents/tool-use.ts"
import {add, bring, on, stores, tablePlace} from "../../support/workroom/workroom.ts"

const toolsOf = (workroom: Workroom) => {
  const tools = new Map(workroomTools(workroom).map(tool => [tool.name, tool]))
  return async (name: string, args: object, key: string, own: Partial<ToolUse> = {}) => {
    const tool = tools.get(`workroom.${name}`)
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    return (await callTool(tool, args, {key, ...own})).value
  }
}

test("every command except accept has a tool, with the same permission as in chat", async () => {
  const tools = workroomTools(await (await tablePlace()).open())
  expect(tools.map(({name, effect, permission}) => `${name} ${effect} ${permission}`)).toEqual([
    "workroom.list none trusted",
    "workroom.show none trusted",
    "workroom.add idempotent trusted",
    "workroom.claim idempotent trusted",
    "workroom.comment idempotent trusted",
    "workroom.block idempotent trusted",
    "workroom.unblock idempotent trusted",
    "workroom.review idempotent trusted",
    "workroom.cancel idempotent admin",
  ])
})

describe.each(stores)("the workroom in $name", ({make}) => {
  test("lets an agent work an item from its creation to review under its own name", async () => {
    const workroom = await (await make()).open()
    const call = toolsOf(workroom)
    const given = {title: "Fix the printer", description: "Tray 2", priority: "high", labels: ["office"]}
    expect(await call("add", given, "k1")).toMatchObject({item: 1, state: "open", assignee: null})
    await call("claim", {item: 1}, "k2")
    await call("block", {item: 1, reason: "no ink", until: "2030-01-01T10:00:00+01:00"}, "k3")
    expect(workroom.item(1).blocker).toMatchObject({reason: "no ink", deadline: "2030-01-01T09:00:00.000Z"})
    await call("unblock", {item: 1}, "k4")
    await call("comment", {item: 1, text: "new ink"}, "k5")
    expect(await call("review", {item: 1}, "k6")).toMatchObject({item: 1, state: "review", assignee: "agent:helper"})
    expect(workroom.item(1)).toMatchObject({
      createdBy: "agent:helper",
      conversation: {endpoint: "line", channel: "#team"},
      comments: [{actor: "agent:helper", text: "new ink"}],
    })
    expect(await call("cancel", {item: 1, reason: "no printer"}, "k7")).toMatchObject({state: "cancelled"})
  })

  test("records a repeated call once, even with another change in between", async () => {
    const workroom = await (await make()).open()
    const call = toolsOf(workroom)
    await call("add", {title: "One"}, "k1")
    await call("comment", {item: 1, text: "mine"}, "k2")
    await workroom.run(on(workroom.item(1), {is: "comment", text: "between"}))
    await call("comment", {item: 1, text: "mine"}, "k2")
    await call("add", {title: "One"}, "k1")
    expect(workroom.items).toHaveLength(1)
    expect(workroom.item(1).comments.map(({text}) => text)).toEqual(["mine", "between"])
  })
})

test("the workroom records all parallel calls", async () => {
  const workroom = await (await tablePlace()).open()
  const call = toolsOf(workroom)
  await call("add", {title: "One"}, "k0")
  await Promise.all([1, 2, 3, 4].map(n => call("comment", {item: 1, text: String(n)}, `k${n}`)))
  expect(
    workroom
      .item(1)
      .comments.map(({text}) => text)
      .sort(),
  ).toEqual(["1", "2", "3", "4"])
})

test("the model receives the workroom's reason for refusing a command", async () => {
  const workroom = await (await tablePlace()).open()
  const call = toolsOf(workroom)
  await workroom.run(add("One"))
  await expect(call("review", {item: 1}, "k1")).rejects.toMatchObject({
    code: "workroom_state",
    message: expect.stringMatching(/\bactive; item 1 is open\b/),
  })
  await expect(call("show", {item: 9}, "k2")).rejects.toMatchObject({
    code: "workroom_unknown",
    message: expect.stringMatching(/\b9\b/),
  })
  await expect(call("comment", {item: 9, text: "x"}, "k3")).rejects.toMatchObject({
    code: "workroom_unknown",
    message: expect.stringMatching(/\b9\b/),
  })
  await expect(call("comment", {item: 1, text: " "}, "k4")).rejects.toThrow("text: expected text")
  await expect(call("add", {title: "x", assignee: "agent:other"}, "k5")).rejects.toThrow("assignee: unknown key")
  await expect(call("block", {item: 1, reason: "x", until: "soon"}, "k6")).rejects.toThrow("until: expected a date")
})

test("a run without a conversation adds an item without one", async () => {
  const workroom = await (await tablePlace()).open()
  const run = runOf({endpoint: undefined, channel: undefined, user: undefined, place: {}})
  await toolsOf(workroom)("add", {title: "One"}, "k1", {run})
  expect(workroom.item(1).conversation).toBeNull()
})

test("a list has the open items, newest first, or the items that were asked for", async () => {
  const workroom = await (await tablePlace()).open()
  const call = toolsOf(workroom)
  for (const title of ["One", "Two", "Three"]) await workroom.run(add(title, {labels: [title.toLowerCase()]}))
  await bring(workroom, workroom.item(2), "done")
  await bring(workroom, workroom.item(3), "blocked")
  const listed = async (args: object) => {
    const {items, of} = (await call("list", args, "k")) as {items: {item: number}[]; of: number}
    return [of, ...items.map(({item}) => item)]
  }
  expect(await listed({})).toEqual([2, 3, 1])
  expect(await listed({limit: 1})).toEqual([2, 3])
  expect(await listed({state: "done"})).toEqual([1, 2])
  expect(await listed({assignee: "user:ada"})).toEqual([1, 3])
  expect(await listed({label: "one"})).toEqual([1, 1])
})

test("an item is shown with its last comments", async () => {
  const workroom = await (await tablePlace()).open()
  const call = toolsOf(workroom)
  await call("add", {title: "One", description: "All of it"}, "k")
  for (let n = 1; n <= 21; n++) await workroom.run(on(workroom.item(1), {is: "comment", text: `${n}`}))
  const shown = (await call("show", {item: 1}, "k")) as {comments: {text: string}[]}
  expect(shown).toMatchObject({title: "One", description: "All of it", ofComments: 21})
  expect(shown.comments.map(({text}) => text)).toEqual(Array.from({length: 20}, (_, n) => String(n + 2)))
})
