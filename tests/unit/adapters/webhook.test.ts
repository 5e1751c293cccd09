import {describe, expect, test} from "vitest"
import {toIncoming} from "../../../server/adapters/webhook/event.ts"

describe("a signed body", () => {
  const eventOf = (body: object) => toIncoming("id", 1000, JSON.stringify(body))

  test("with a text is a message in the partner's direct channel", () => {
    expect(eventOf({text: "1 < 2"})).toEqual({
      id: "id",
      type: "message-created",
      timestamp: 1000,
      channel: {id: "webhook", type: 1},
      user: {id: "webhook"},
      message: {id: "id", content: "1 &lt; 2"},
      raw: {type: "webhook", data: {text: "1 < 2"}},
    })
  })

  test("gives channel, user, name and whether it is a group", () => {
    const said = {type: "message-created", text: "", channel: "#team", user: "u1", name: "Ann", group: true, order: 7}
    expect(eventOf(said)).toMatchObject({
      channel: {id: "#team", type: 0},
      user: {id: "u1", name: "Ann"},
      message: {content: ""},
      raw: {type: "message-created", data: said},
    })
  })

  test("contains files as elements, by their types", () => {
    const src = "https://shop.example/7?a=1&b=2"
    const files = [
      {src, name: "bill.pdf", type: "application/pdf", page: 1},
      {src, type: "image/png"},
      {src: "http://x"},
    ]
    expect(eventOf({text: "paid", files}).message?.content).toBe(
      'paid<file src="https://shop.example/7?a=1&amp;b=2" title="bill.pdf" type="application/pdf"/>' +
        '<img src="https://shop.example/7?a=1&amp;b=2" type="image/png"/><file src="http://x"/>',
    )
  })

  test("of any other type is the platform's own event, with its payload", () => {
    const order = {type: "order.created", text: "not a message", channel: "shop", user: {id: 7}, data: {total: 12}}
    expect(eventOf(order)).toEqual({
      id: "id",
      type: "internal",
      timestamp: 1000,
      channel: {id: "shop", type: 0},
      raw: {type: "order.created", data: order},
    })
    expect(eventOf({})).toMatchObject({type: "internal", raw: {type: "webhook", data: {}}})
  })

  test.each([
    ["text: required for a message", {type: "message-created"}],
    ["text: expected non-empty text", {text: 7}],
    ["channel: expected non-empty text", {text: "a", channel: ""}],
    ["user: expected non-empty text", {text: "a", user: {id: "u"}}],
    ["group: expected true or false", {text: "a", group: "yes"}],
    ["type: expected non-empty text", {type: 7}],
    ["files: expected a list of at most 20", {text: "", files: {src: "https://x"}}],
    ["files: expected a list of at most 20", {text: "", files: Array(21).fill({src: "https://x"})}],
    ["files[1].src: expected an address", {text: "", files: [{src: "https://x"}, {src: "file:///etc/passwd"}]}],
    ["files[0].src: expected an address", {text: "", files: ["https://x"]}],
    ["only a Host sends", {type: "svc.message", text: "back to its sender"}],
  ])("is refused: %s", (message, body) => expect(() => eventOf(body)).toThrow(message))

  test.each([
    ["", "the body is empty"],
    ["null", "must be a JSON object"],
    ['[{"text": "a"}]', "must be a JSON object"],
    ["{text: 1}", "the body is not JSON"],
  ])("is refused unless it is a JSON object: %j", (body, message) => {
    expect(() => toIncoming("id", 1000, body)).toThrow(message)
  })
})
