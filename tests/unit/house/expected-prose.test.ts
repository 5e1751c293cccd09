import {expect, test} from "vitest"
import {expectedProseIn, mostPlaces, readExpectedProse} from "../../../scripts/words/expected-prose.ts"

test("tests expect codes and states, not the sentences of the product", () => {
  const places = readExpectedProse().map(({path, line, words}) => `${path}:${line}: ${words}`)
  expect(places.length > mostPlaces ? places : []).toEqual([])
})

const product = new Set(["one two three four"])
const wordsIn = (source: string) => expectedProseIn("a.test.ts", source, product).map(({line, words}) => [line, words])

test.each([
  "expect(said).toBe('zero one two three four')",
  "expect(said).toEqual([expect.stringContaining(`${zero} one two three four.`)])",
  "await expect(work).rejects.toThrow(/one two three four \\d+/)",
  "await page.getByText('one two three four').waitFor()",
  "await until('it', () => output().includes('one two three four'))",
  "await untilPrinted(host, /^one two three four: /)",
])("%s expects prose", source => expect(wordsIn(`\n${source}`)).toEqual([[2, "one two three four"]]))

test.each([
  "test('one two three four', () => {})",
  "await until('one two three four', () => isThere)",
  "bot.say('one two three four')",
  "expect(said).toMatch(/one two .* three four/)",
  "expect(said).toBe(`one two ${three} four`)",
  "expect(said).toBe('two three four five')",
])("%s expects none", source => expect(wordsIn(source)).toEqual([]))
