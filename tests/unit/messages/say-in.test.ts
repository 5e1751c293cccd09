import {expect, test} from "vitest"
import {DeclaredTexts, textsHandle} from "../../../server/generation/plugins/declarations/texts.ts"
import {sayIn} from "../../../server/messages/session/say-in.ts"

const table = {en: {hello: "Hello, {name}!"}}
const texts = textsHandle(new DeclaredTexts(table), table)

test("a text of a handle is said in the first language that has it", () =>
  expect(sayIn(["de"], undefined, texts, ["hello", {name: "Ann"}])).toBe("Hello, Ann!"))

test.each<[string, unknown]>([
  ["the table itself", table],
  ["nothing", undefined],
])("a call with %s in place of texts is refused by name", (_, first) => {
  expect(() => sayIn(["en"], undefined, first as typeof texts, ["hello"])).toThrow(/plugin\.texts/)
})
