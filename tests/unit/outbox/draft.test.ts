import {expect, test} from "vitest"
import {callDraft, contentOf, messageDraft, messageTargetOf} from "../../../server/outbox/draft.ts"
import {DraftFiles} from "../../../server/outbox/files/draft-files.ts"
import {Lease, Pins} from "../../../server/outbox/files/lease.ts"
import {h, type Node} from "../../../shared/sdk/content/elements.ts"
import {file} from "../../../shared/sdk/content/shorthands.ts"
import {log} from "../../support/database/databases.ts"

const nested = (depth: number): Node => (depth === 0 ? "x" : h("b", {}, nested(depth - 1)))
const circle = {type: "b", attrs: {}, children: [] as unknown[]}
circle.children.push(circle)

test("content is a text, an element or a list of these", () => {
  const bold = h("b", {class: undefined, n: 1, on: true}, "x")
  for (const content of ["", "hi", bold, nested(100)]) expect(contentOf(content)).toEqual([content])
  expect(contentOf(["a", bold])).toEqual(["a", bold])
})

test.for<[unknown, string]>([
  [null, "content contains null"],
  [undefined, "content contains undefined"],
  [42, "content contains 42"],
  [true, "content contains true"],
  [1n, "content contains 1"],
  [Symbol("x"), "content contains Symbol(x)"],
  [{a: 1}, "content contains an object that is not an element"],
  [[], "content contains an empty list"],
  [["a", null], "content contains null"],
  [[["a"]], "content contains a list in a list"],
  [{type: "b", attrs: {}}, "content contains an object that is not an element"],
  [{type: "b", children: []}, "content contains <b> without attrs"],
  [{type: "", attrs: {}, children: []}, "content contains an element without type"],
  [{type: "b", attrs: {}, children: [{}]}, "content contains an object that is not an element"],
  [h("b", {n: Number.NaN}), "content contains <b> with the attribute n, which is NaN"],
  [h("b", {n: {} as never}), "content contains <b> with the attribute n, which is an object that is not an element"],
  [h("file", {title: "a\0.png"}), expect.stringMatching(/\bname\b/)],
  [[h("p", h("img", {title: "gnp\u202e.exe"}))], expect.stringMatching(/\bname\b/)],
  [nested(102), "content contains elements more than 100 deep"],
  [circle, "content contains elements more than 100 deep"],
])("other content is refused: %o", ([content, message]) => {
  expect(() => contentOf(content)).toThrow(expect.objectContaining({code: "content_invalid", message}))
})

test("a file that is named apart from its element is refused too, before it is stored", async () => {
  const permitted = async (path: string) => ({path, name: path, size: 1})
  const unused = async () => expect.fail("stored")
  const lease = () => new Lease(new Pins())
  const store = {lease, put: unused, take: unused}
  const files = new DraftFiles({permitted, store, endpoint: () => undefined, privateHosts: () => [], log})
  const draft = messageDraft(
    {endpoint: "line", channel: "team"},
    h("file", {src: file("q.pdf", {name: "fdp\u202e.exe"})}),
  )
  await expect(files.store(draft, lease())).rejects.toMatchObject({code: "content_invalid"})
})

const here = {endpoint: "line", channel: "team"}

test("a message is named by its outbox id, or by the platform's id in this or another conversation", () => {
  expect(messageTargetOf("m1", here)).toEqual({outbox: "m1"})
  expect(messageTargetOf({platform: "7"}, here)).toEqual({at: here, platform: "7"})
  const elsewhere = {platform: "7", endpoint: "wire", channel: "hall"}
  expect(messageTargetOf(elsewhere, here)).toEqual({at: {endpoint: "wire", channel: "hall"}, platform: "7"})
})

test.for([null, undefined, 5, "", {}, {platform: ""}, {platform: "7", channel: 5}, {platform: "a\0"}])(
  "a message without a name is refused: %o",
  target => expect(() => messageTargetOf(target, here)).toThrow(expect.objectContaining({code: "target_invalid"})),
)

test("a message by the platform's id needs a channel", () => {
  expect(() => messageTargetOf({platform: "7"}, {endpoint: "line", channel: undefined})).toThrow(/\bchannel\b/)
})

test.for([null, undefined, "x", [], {n: 1n}, {circle}])("invalid parameters are refused: %o", params => {
  const call = {method: "guild.member.mute", params: params as never}
  expect(() => callDraft("line", call)).toThrow(expect.objectContaining({code: "request_invalid"}))
})
