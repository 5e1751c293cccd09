import {expect, test} from "vitest"
import {toFrame} from "../../../server/http/satori/protocol/frame.ts"

const login = {
  endpoint: "forge~pushes",
  sn: 1,
  adapter: "forge",
  platform: "forge",
  user: {id: "bot"},
  status: 1,
  features: [],
  downloads: false,
}
const frameOf = (event: object) =>
  toFrame({seq: 7, endpoint: "forge~pushes", event: JSON.stringify({timestamp: 1, login: {}, ...event})}, () => login)
    .text

test("a client gets the payload of an own event under the platform's name", () => {
  const own = {type: "forge/push", _type: "push", _data: {ref: "main"}}
  expect(JSON.parse(frameOf(own)).body).toMatchObject({_type: "forge", _data: {ref: "main"}})
  expect(JSON.parse(frameOf({type: "message-deleted"})).body).not.toHaveProperty("_type")
  expect(frameOf({type: "timer", _type: "timer", _data: {ref: "main"}})).toBe("")
})
