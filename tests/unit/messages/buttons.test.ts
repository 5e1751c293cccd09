import {v7 as uuid} from "uuid"
import {expect, test} from "vitest"
import {type Made, makeButtonId, readButtonId, readPlatformId} from "../../../server/database/buttons/button-id.ts"
import {presentButtons} from "../../../server/outbox/buttons.ts"
import {contentOf} from "../../../server/outbox/draft.ts"
import {splitContent} from "../../../server/outbox/split.ts"
import {actionHandle} from "../../../server/plugins/action-handle.ts"
import {h, textOf} from "../../../shared/sdk/elements.ts"
import {Type} from "../../../shared/type.ts"

const made: Made = {handler: "root/bot/action/vote", data: '{"choice":"<yes>"}', expires: 1000, once: 0, asked: 0}
const id = makeButtonId(made)
const [yes, no] = [h("button", {id, theme: "primary"}, "Yes"), h("button", {id}, "No")]

test("a button's id is read as it was made, and refused where one character of it is another", () => {
  expect(readButtonId(id)).toEqual(made)
  for (const wrong of [id.replace("yes", "no!"), `action:${id.slice(8)}`, "action:", "action:{}"])
    expect(readButtonId(wrong), wrong).toBeUndefined()
})

test("the id for the platform is short, names the message and the number, and others are nobody's", () => {
  const message = uuid()
  expect(readPlatformId(`${message}:12`)).toEqual({message, n: 12})
  for (const other of [`${message}:0`, `${message}:01`, message, "yes", `${message}:1:1`, `x${message}:1`])
    expect(readPlatformId(other), other).toBeUndefined()
})

test("a platform with buttons gets short ids, and nothing of what the buttons keep", () => {
  const message = uuid()
  const shown = presentButtons(["Well?", h("p", yes, no), h("button", {id: "own"}, "Own")], message, true)
  expect(shown).toEqual([
    "Well?",
    h("p", h("button", {id: `${message}:1`, theme: "primary"}, "Yes"), h("button", {id: `${message}:2`}, "No")),
    h("button", {id: "own"}, "Own"),
  ])
})

test("another platform gets a numbered list below the text; buttons of other makers keep their text", () => {
  const textFrom = (...content: Parameters<typeof presentButtons>[0]) => textOf(presentButtons(content, "m", false))
  expect(textFrom("Well?", yes, no)).toBe("Well?\n1. Yes\n2. No")
  expect(textFrom(yes, " or ", h("p", no), "?")).toBe(" or ?\n1. Yes\n2. No")
  expect(textFrom(h("p", "Well?"), h("p", h("b", yes)))).toBe("Well?\n1. Yes")
  expect(textFrom(yes, no)).toBe("1. Yes\n2. No")
  expect(textFrom(h("button", {id}), h("button", {id: "own"}, "Own"))).toBe("Own\n1. 1")
  expect(textFrom("nothing")).toBe("nothing")
})

test("a long message ends with its list, once", () => {
  const parts = splitContent(presentButtons([yes, no, "word ".repeat(30)], "m", false), 60).map(part => textOf(part))
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.filter(part => part.includes("1. Yes\n2. No"))).toEqual([parts.at(-1)])
})

test("content with a button is refused where this run did not make it, or nobody is asked", () => {
  const forged = h("button", {id: id.replace("yes", "no!")}, "Yes")
  expect(() => contentOf(["Well?", h("p", forged)])).toThrow(/id no action of this run of the Host made/)
  const asked = h("button", {id: makeButtonId({...made, asked: 1})}, "Yes")
  expect(() => contentOf([asked], false)).toThrow(/root\/bot\/action\/vote, which only who is asked may press/)
  expect(contentOf([asked], true)).toEqual([asked])
})

test("an action's handle refuses what does not fit, is too long or has no label", () => {
  const data = Type.Object({choice: Type.String()})
  const vote = actionHandle("vote", "root/bot/action/vote", {data, once: true, who: "asked", expires: 2})
  expect(readButtonId(vote.id({choice: "yes"}))).toEqual({
    handler: "root/bot/action/vote",
    data: '{"choice":"yes"}',
    expires: 2000,
    once: 1,
    asked: 1,
  })
  expect(() => vote.id({})).toThrow(/does not fit its schema: data\.choice/)
  expect(() => vote.button({choice: "x".repeat(65_536)}, "Yes")).toThrow(/65536 are the most/)
  expect(() => vote.button({choice: "yes"}, " ")).toThrow(/needs a label/)
  expect(() => vote.button({choice: "yes"}, "Yes", {style: "loud" as never})).toThrow(/primary, secondary or danger/)
})
