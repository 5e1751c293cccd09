import {v7 as uuid} from "uuid"
import {expect, test} from "vitest"
import {buttonsOf, findButton, shownText} from "../../../server/adapters/sandbox/buttons.ts"
import {
  lasting,
  type Made,
  makeButtonId,
  readButtonId,
  readPlatformId,
} from "../../../server/database/buttons/button-id.ts"
import {actionHandle, requireAction} from "../../../server/generation/kinds/action-handle.ts"
import {presentButtons} from "../../../server/outbox/buttons.ts"
import {contentOf} from "../../../server/outbox/draft.ts"
import {splitContent} from "../../../server/outbox/split/split.ts"
import {type Element, h, isElement} from "../../../shared/sdk/content/elements.ts"
import type {SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import {textOf} from "../../../shared/sdk/content/text.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import {Type} from "../../../shared/type.ts"
import {answer} from "../../support/messages/answers.ts"
import {firstAttempt} from "../../support/messages/attempt.ts"
import {dispatchTo, hearerOf, messageOf, runnerOf, tableOf} from "../../support/messages/dispatching.ts"

const made: Made = {handler: "root/bot/action/vote", data: '{"choice":"<yes>"}', expires: 1000, once: 0, asked: 0}
const id = makeButtonId(made)
const [yes, no] = [h("button", {id, theme: "primary"}, "Yes"), h("button", {id}, "No")]

test("a button's id can be parsed again, and one changed character invalidates it", () => {
  expect(readButtonId(id)).toEqual(made)
  for (const wrong of [id.replace("yes", "no!"), `action:${id.slice(8)}`, "action:", "action:{}"])
    expect(readButtonId(wrong), wrong).toBeUndefined()
})

test("the platform's id is short, and names message and number; other ids belong to nobody", () => {
  const message = uuid()
  expect(readPlatformId(`${message}:12`)).toEqual({message, n: 12})
  for (const other of [`${message}:0`, `${message}:01`, message, "yes", `${message}:1:1`, `x${message}:1`])
    expect(readPlatformId(other), other).toBeUndefined()
})

test("a platform with buttons gets short ids, and none of the buttons' data", () => {
  const message = uuid()
  const shown = presentButtons(["Well?", h("p", yes, no), h("button", {id: "own"}, "Own")], message, {buttons: true})
  expect(shown).toEqual([
    "Well?",
    h("p", h("button", {id: `${message}:1`, theme: "primary"}, "Yes"), h("button", {id: `${message}:2`}, "No")),
    h("button", {id: "own"}, "Own"),
  ])
})

test("a menu becomes options if the platform has menus, else buttons; numbers continue", () => {
  const message = uuid()
  const vote = actionHandle("vote", "root/bot/action/vote", {})
  const options = [
    {data: 1, label: "Soup"},
    {data: 2, label: "Salad"},
  ]
  const content = [h("p", "Well?", yes), vote.select(options, {placeholder: "Choose"}), no]
  const button = (n: number, label: string) => h("button", {id: `${message}:${n}`}, label)
  const option = (n: number, label: string) => h("option", {id: `${message}:${n}`}, label)
  const first = h("p", "Well?", h("button", {id: `${message}:1`, theme: "primary"}, "Yes"))
  expect(presentButtons(content, message, {buttons: true, selects: true})).toEqual([
    first,
    h("select", {placeholder: "Choose"}, option(2, "Soup"), option(3, "Salad")),
    button(4, "No"),
  ])
  expect(presentButtons(content, message, {buttons: true})).toEqual([
    first,
    button(2, "Soup"),
    button(3, "Salad"),
    button(4, "No"),
  ])
  expect(textOf(presentButtons(content, message, {}))).toBe("Well?\n1. Yes\n2. Soup\n3. Salad\n4. No")
  const long = splitContent(
    presentButtons(["word ".repeat(9), ...content], message, {buttons: true, selects: true}),
    40,
  )
  expect(long.flat().filter(node => isElement(node) && node.type === "select")).toHaveLength(1)
})

test("a select without an action stays unchanged", () => {
  const own = h("select", h("option", {id: "own"}, "Own"))
  for (const shows of [{}, {buttons: true}, {buttons: true, selects: true}])
    expect(presentButtons([own, yes], uuid(), shows)[0]).toEqual(own)
})

test("a menu refuses invalid options, an empty list and too many options", () => {
  const vote = actionHandle("vote", "root/bot/action/vote", {data: Type.Integer()})
  const option = {label: "One", data: 1}
  expect(vote.select([option]).children).toHaveLength(1)
  expect(() => vote.select([])).toThrow(/root\/bot\/action\/vote .* 1 to 25 options/)
  expect(() => vote.select(Array(26).fill(option))).toThrow(/ 1 to 25 options/)
  expect(() => vote.select("One" as never)).toThrow(/ 1 to 25 options/)
  expect(() => vote.select([{label: " ", data: 1}])).toThrow(/needs a label/)
  expect(() => vote.select(["One" as never])).toThrow(/needs a label/)
  expect(() => vote.select([{label: "One", data: "1" as never}])).toThrow(/ schema: data\b/)
  expect(() => vote.select([option], {placeholder: 1 as never})).toThrow(/\bplaceholder\b/)
})

test("the sandbox shows each menu as a line, and presses its options by number, label or id", () => {
  const option = (id: string, label: string) => h("option", {id}, label)
  const menu = (attrs: object, ...options: Element[]) => h("select", {...attrs}, ...options)
  const content = [
    "Well?",
    h("button", {id: "a"}, "Yes"),
    menu({placeholder: "Dish"}, option("b", "Soup"), option("c", "Salad")),
    h("p", menu({}, option("d", "Tea"))),
    h("button", {id: "e"}, "No"),
  ]
  expect(shownText(content)).toBe("Well?\n[1] Yes  [5] No\nDish: [2] Soup  [3] Salad\n[4] Tea")
  const buttons = buttonsOf(content)
  expect(["3", "Salad", "c"].map(meant => findButton(buttons, meant)?.id)).toEqual(["c", "c", "c"])
})

test("another platform gets a numbered list below the text; other makers' buttons keep their text", () => {
  const textFrom = (...content: Parameters<typeof presentButtons>[0]) => textOf(presentButtons(content, "m", {}))
  expect(textFrom("Well?", yes, no)).toBe("Well?\n1. Yes\n2. No")
  expect(textFrom(yes, " or ", h("p", no), "?")).toBe(" or ?\n1. Yes\n2. No")
  expect(textFrom(h("p", "Well?"), h("p", h("b", yes)))).toBe("Well?\n1. Yes")
  expect(textFrom(yes, no)).toBe("1. Yes\n2. No")
  expect(textFrom(h("button", {id}), h("button", {id: "own"}, "Own"))).toBe("Own\n1. 1")
  expect(textFrom("nothing")).toBe("nothing")
})

test("a long message ends with its list, once", () => {
  const parts = splitContent(presentButtons([yes, no, "word ".repeat(30)], "m", {}), 60).map(part => textOf(part))
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.filter(part => part.includes("1. Yes\n2. No"))).toEqual([parts.at(-1)])
})

test("a button that another run made, or whose question has no user, is refused", () => {
  const forged = h("button", {id: id.replace("yes", "no!")}, "Yes")
  expect(() => contentOf(["Well?", h("p", forged)])).toThrow(/\bid\b.*\baction\b/)
  const asked = h("button", {id: makeButtonId({...made, asked: 1})}, "Yes")
  expect(() => contentOf([asked], false)).toThrow(/root\/bot\/action\/vote, .*\basked user\b/)
  expect(contentOf([asked], true)).toEqual([asked])
})

test("a press updates the message of its button, also by number or through an edit; without a press it fails", async () => {
  const [menu, edit] = [uuid(), uuid()]
  const at = {endpoint: "sandbox", channel: "c"}
  const update = async (event: Partial<SatoriEvent>, pressed = "") => {
    const dispatch = dispatchTo(tableOf({handlers: [hearerOf(session => session.update("new").then(() => {}))]}))
    const outcome = await dispatch.run({endpoint: "sandbox", event: messageOf("1", event)}, hearerOf(() => {}).id, {
      ...firstAttempt,
      sent: async id => ({at, message: {outbox: id === edit ? menu : id}}),
      question: async () =>
        pressed === "" ? undefined : {id: pressed, handler: "", user: "", data: "null", expiresAt: 0, ...at},
    })
    if (outcome.is === "failed") return outcome.error
    return outcome.is === "handled" ? outcome.sends.map(({kind, content}) => ({kind, content})) : outcome.is
  }
  const press = (id: string) => ({type: "interaction/button", button: {id}})
  const updated = (message: object) => [{kind: "edit", content: {message, content: ["new"]}}]
  expect(await update(press(`${menu}:2`))).toEqual(updated({outbox: menu}))
  expect(await update(press(`${edit}:1`))).toEqual(updated({outbox: menu}))
  expect(await update({}, `${menu}:1:${uuid()}`)).toEqual(updated({outbox: menu}))
  expect(await update(press("own"))).toEqual(updated({platform: "m"}))
  expect(await update({}, uuid())).toContain("press")
})

test("a press by a user without the permission of its action does nothing but tell", async () => {
  const action = {id: made.handler, definition: {permission: "trusted"}, handle: () => "Voted."} as const
  const pressed = messageOf("", {type: "interaction/button", button: {id: "b"}})
  const kept = {id: "q", handler: action.id, data: "null", expiresAt: 0, endpoint: "s", channel: "c", user: "id ann"}
  const pressAs = (permission: Permission) => {
    const dispatch = dispatchTo(tableOf({actions: [{...runnerOf(action.id), action}], permissionOf: () => permission}))
    const run = async (handler: string) => {
      const outcome = await dispatch.run({endpoint: "s", event: pressed}, handler, {
        ...firstAttempt,
        question: async () => kept,
      })
      return outcome.is === "handled" ? outcome.sends.map(({content}) => content) : outcome
    }
    return {run, handlers: dispatch.match(pressed, action.id, "s")}
  }
  const refused = [[answer("press.permission", {permission: "trusted"})]]
  const {run, handlers} = pressAs("user")
  expect(handlers).toEqual(["host/button/trusted"])
  expect(await run("host/button/trusted")).toEqual(refused)
  // The press was stored before a reload brought the permission.
  expect(await run(action.id)).toEqual(refused)
  for (const permission of ["trusted", "admin"] as const) {
    const may = pressAs(permission)
    expect(may.handlers).toEqual([action.id])
    expect(await may.run(action.id)).toEqual([["Voted."]])
  }
  expect(() => requireAction("vote", {permission: "root" as "admin"})).toThrow(/\bpermission\b.* admin/)
})

test("an action's handle refuses data that is invalid, too long or without a label", () => {
  const data = Type.Object({choice: Type.String()})
  const vote = actionHandle("vote", "root/bot/action/vote", {data, once: true, who: "asked", expires: 2})
  expect(readButtonId(vote.id({choice: "yes"}))).toEqual({
    handler: "root/bot/action/vote",
    data: '{"choice":"yes"}',
    expires: 2000,
    once: 1,
    asked: 1,
  })
  expect(readButtonId(actionHandle("menu", "m", {expires: "never"}).id(1))?.expires).toBe(lasting)
  expect(() => requireAction("menu", {expires: "forever" as never})).toThrow(/"never"/)
  expect(() => vote.id({})).toThrow(/ schema: data\.choice/)
  expect(() => vote.button({choice: "x".repeat(65_536)}, "Yes")).toThrow(/above 65536/)
  expect(() => vote.button({choice: "yes"}, " ")).toThrow(/needs a label/)
  expect(() => vote.button({choice: "yes"}, "Yes", {style: "loud" as never})).toThrow(/primary, secondary .*danger/)
})
