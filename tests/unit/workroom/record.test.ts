import {expect, test} from "vitest"
import {itemText} from "../../../server/workroom/store/catalog.ts"
import {crc32c} from "../../../server/workroom/store/crc32c.ts"
import {frame, readFrames} from "../../../server/workroom/store/frames.ts"
import {canonical} from "../../../server/workroom/store/record.ts"
import {begin, evolve} from "../../../server/workroom/store/transitions.ts"
import type {Command, Item, JournalRecord} from "../../../shared/api/workroom.ts"

const byDefinition = (bytes: Uint8Array): number => {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

test("the checksum is the CRC-32C of RFC 3720", () => {
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa)
  expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43)
  expect(crc32c(Uint8Array.from({length: 32}, (_, index) => index))).toBe(0x46dd794e)
  expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283)
})

test("the checksum of a part depends on its bytes only, wherever it starts and ends", () => {
  const bytes = Uint8Array.from({length: 80}, (_, index) => (index * 73 + 11) % 256)
  for (let start = 0; start < 20; start++) {
    for (let end = start; end < start + 40; end++) {
      expect(crc32c(bytes, start, end)).toBe(byDefinition(bytes.subarray(start, end)))
    }
  }
})

test("texts of every kind are read back from their frames", () => {
  const texts = ["a", "ünïcode ☃", "𝔘 beyond the first plane", "x".repeat(100_000), "\u0000"]
  const found: string[] = []
  expect(readFrames(frame(texts), text => void found.push(text)).wrong).toBeUndefined()
  expect(found).toEqual(texts)
})

test("equal values have the same canonical text, whatever the order of their keys", () => {
  const text = '{"a":[{"x":1,"y":[]},null],"b":{"c":"\\"☃","d":true},"e":""}'
  expect(canonical(JSON.parse(text))).toBe(text)
  expect(canonical({e: "", b: {d: true, c: '"☃'}, a: [{y: [], x: 1}, null]})).toBe(text)
  expect(canonical({e: "", b: {c: '"☃', d: true}, a: [{x: 1, y: []}, null], f: undefined})).toBe(text)
  expect(canonical({b: 1, 10: 2, 9: 3})).toBe(canonical({9: 3, 10: 2, b: 1}))
})

test("an item has the same text, with sorted keys, after its commands and after reading it back", () => {
  const record = (seq: number, command: Command): JournalRecord => ({
    seq,
    at: "2030-01-01T00:00:00.000Z",
    actor: "user:ada",
    item: 1,
    command,
    prevHash: "",
    hash: "",
  })
  const add = {
    is: "add",
    title: "a",
    description: "",
    priority: "low",
    labels: ["x"],
    assignee: null,
    conversation: {endpoint: "irc~libera", channel: "#a"},
  } as const
  const block = {is: "block", expectedRevision: 1, reason: "r", owner: null, deadline: null} as const
  const comment = {is: "comment", expectedRevision: 2, text: "t"} as const
  const item = [block, comment].reduce<Item>(
    (before, command, index) => evolve(before, record(index + 2, command), command),
    begin(record(1, add), add),
  )
  const text = itemText(item)
  expect(itemText(JSON.parse(text))).toBe(text)
  const {blocker, comments, ...rest} = JSON.parse(text)
  for (const part of [blocker, comments[0], rest]) expect(Object.keys(part)).toEqual(Object.keys(part).sort())
})
