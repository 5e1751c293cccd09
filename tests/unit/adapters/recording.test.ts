import {expect, test} from "vitest"
import {discord} from "../../../server/adapters/recording/discord.ts"
import {maskedText, requireMasked} from "../../../server/adapters/recording/mask.ts"
import {type Recording, walkRecording} from "../../../server/adapters/recording/recording.ts"
import {StandIns} from "../../../server/adapters/recording/stand-ins.ts"
import type {Words} from "../../../server/adapters/recording/walk.ts"

const words: Words = {texts: {type: ["private"], mime_type: ["text/plain"]}, numbers: {length: 100}}
const token = "999999:a-secret-of-the-bot"

const recordingOf = (response: unknown, request: unknown = {}): Recording => {
  const exchange = {method: "getUpdates", request, status: 200, headers: {"content-type": "text/x"}, response}
  const step = {step: "hello", ended: "done", exchanges: [exchange], events: ["message-created"]} as const
  return {schema: "svc.recording/1", adapter: "telegram", recorded: "2026-01-31", steps: [step]}
}

const mask = (response: unknown, request?: unknown): unknown => {
  const {steps} = JSON.parse(maskedText(recordingOf(response, request), words, [token])) as Recording
  return steps[0]?.exchanges[0]?.response
}

test("numbers keep their length and order, and equal values stay equal, as text or number", () => {
  const given = [70_001, "70003", 70_002, "70001", -1_009_876_543_210, 12, 0, 3.25]
  const [first, third, second, again, group, short, none, part] = mask(given) as (string | number)[]
  expect([first, third, second].map(each => String(each).length)).toEqual([5, 5, 5])
  expect(Number(first)).toBeLessThan(Number(second))
  expect(Number(second)).toBeLessThan(Number(third))
  expect(again).toBe(String(first))
  expect([first, second, third]).not.toContain(70_001)
  expect(String(group)).toMatch(/^-100\d{10}$/)
  expect(String(group)).not.toContain("9876543210")
  expect([String(short).length, none, part]).toEqual([2, 0, 0.5])
})

test("times keep their order, those of Slack as numbers", () => {
  const given = ["2026-11-30T17:12:55.123000+00:00", "2026-11-30T17:12:54Z", "1764523975.000200", "1764523975.000100"]
  const [later, earlier, second, first] = mask(given) as string[]
  expect(later).toMatch(/^2001-\d\d-\d\dT\d\d:\d\d:\d\d\.000000\+00:00$/)
  expect(Date.parse(String(earlier))).toBeLessThan(Date.parse(String(later)))
  expect([first, second]).toEqual([expect.stringMatching(/^\d{10}\.\d{6}$/), expect.not.stringContaining("1764523975")])
  expect(Number(first)).toBeLessThan(Number(second))
})

test("texts keep their form, and addresses their scheme", () => {
  const [text, again, address, emoji] = mask([
    "Hello, Ada 77!",
    "Hello, Ada 77!",
    "https://a.example/b",
    "👍🎉",
  ]) as string[]
  expect(text).toMatch(/^[A-Z][a-z]{4}, [A-Z][a-z]{2} \d\d!$/)
  expect(again).toBe(text)
  expect(address).toMatch(/^https:\/\/[a-z]\.[a-z]{7}\/[a-z]$/)
  expect(emoji).toMatch(/^[a-z]{4}$/)
})

test("a word of the protocol stays under its key only", () => {
  const masked = mask({type: "private", length: 5, username: "private", title: "text/plain"})
  expect(masked).toMatchObject({type: "private", length: 5})
  expect(masked).toEqual({
    type: "private",
    length: 5,
    username: expect.not.stringContaining("private"),
    title: expect.not.stringContaining("plain"),
  })
})

test("a key that is no word of a protocol is masked", () => {
  expect(Object.keys(mask({users: {"81234567890": {id: "81234567890"}, "Ada Lovelace": 1}}) as object)).toEqual([
    "users",
  ])
  expect(JSON.stringify(mask({users: {"81234567890": {}, "Ada Lovelace": 1}}))).not.toMatch(/81234567890|Ada|Love/)
})

test("a person may write words that the file has anyway", () => {
  const texts = ["message", "hello", "done", "exchanges", "aaaa", "----", "a ---- b", "     ", "1000", "text/plain"]
  expect(mask(texts.map(text => ({message: {text}})))).toHaveLength(texts.length)
})

test("what is in the file although it was replaced, or is a secret, refuses the file", () => {
  const standIns = new StandIns()
  for (const value of ["Ada Lovelace", 81_234_567_890, -1_009_876_543_210]) standIns.learn(value)
  const leak = (response: unknown) => () =>
    requireMasked(JSON.stringify(recordingOf(response)), words, [token], standIns)
  expect(leak({text: "nobody", type: "private"})).not.toThrow()
  for (const response of [
    {text: "by Ada Lovelace!"},
    {id: 81_234_567_890},
    {id: -1_009_876_543_210},
    {url: "/81234567890/"},
    {"Ada Lovelace": 1},
    {type: token},
  ])
    expect(leak(response)).toThrow()
  expect(() => maskedText(recordingOf({}), words, ["message-created"])).toThrow()
})

test("the same traffic has the same stand-ins", () => {
  const recording = recordingOf({text: "hello", from: {id: 123_456}})
  expect(maskedText(recording, words, [])).toBe(maskedText(structuredClone(recording), words, []))
  expect(walkRecording(recording, words, value => value)).toEqual(recording)
})

test("the name of a method has no id and no secret of its path", () => {
  expect(discord.methodOf("/v10/interactions/81234567890/a-secret/callback", "POST")).toBe(
    "POST /interactions/:part/:part/callback",
  )
})
