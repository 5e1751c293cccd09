import {expect, test} from "vitest"
import {retryAfterOf} from "../../../server/agents/providers/failures.ts"
import {estimateTokens, priceOf} from "../../../server/agents/providers/tokens.ts"
import {Type} from "../../../shared/type.ts"

const now = Date.UTC(2026, 0, 1)

test.each([
  [{"retry-after": "7"}, 7000],
  [{"retry-after": "0.25"}, 250],
  [{"retry-after": "0"}, 0],
  [{"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}, 30_000],
  [{"retry-after": "Wed, 31 Dec 2025 23:00:00 GMT"}, 0],
  [{"retry-after": "999999999"}, 86_400_000],
  [{"retry-after-ms": "150", "retry-after": "7"}, 150],
  [{"retry-after-ms": "soon", "retry-after": "7"}, 7000],
  [{"retry-after": "-5"}, undefined],
  [{"retry-after": "soon"}, undefined],
  [{"retry-after": ""}, undefined],
  [{}, undefined],
])("%o is a time to wait of %s ms", (headers, expected) => {
  expect(retryAfterOf(new Headers(headers as Record<string, string>), now)).toBe(expected)
})

const request = (text: string) => ({instructions: "", messages: [{role: "user" as const, text}], tools: [], output: 1})

test("an estimate of tokens is rather too high, for English and for Chinese", () => {
  // OpenAI's tokenizers count 9 and 8 tokens.
  expect(estimateTokens(request("The quick brown fox jumps over the lazy dog"))).toBeGreaterThan(9)
  expect(estimateTokens(request("你好，世界，今天好吗"))).toBeGreaterThanOrEqual(8)
})

test("an estimate counts everything sent: instructions, tools, calls, results and kept details", () => {
  const empty = estimateTokens({...request(""), messages: []})
  const long = "x".repeat(3000)
  const messages = [
    {role: "user" as const, text: long},
    {role: "assistant" as const, text: long, calls: [{id: "a", name: "b", input: long}], details: {parts: [long]}},
    {role: "tool" as const, call: "a", name: "b", result: long},
  ]
  const tools = [{name: "b", description: long, parameters: Type.Object({text: Type.String({description: long})})}]
  const all = estimateTokens({instructions: long, messages, tools, output: 1})
  expect(all - empty).toBeGreaterThan(8 * 1000)
  expect(all - empty).toBeLessThan(8 * 1000 + 200)
})

test.each([
  [{input: 1_000_000, output: 0}, {input: 3, output: 15}, 3_000_000],
  [{input: 0, output: 1}, {input: 3, output: 15}, 15],
  [{input: 1, output: 1}, {input: 0.1, output: 0.05}, 1],
  // 77.00000000000001 in floating point.
  [{input: 70, output: 0}, {input: 1.1, output: 0}, 77],
  [{input: 0, output: 0}, {input: 3, output: 15}, 0],
  [{input: 500, output: 500}, undefined, 0],
])("%o at %o costs %i millionths", (usage, prices, expected) => expect(priceOf(usage, prices)).toBe(expected))
