import {expect, test} from "vitest"
import {plain, toLines} from "../../../server/adapters/irc/format.ts"
import {h} from "../../../shared/sdk/content/elements.ts"

const controls = Array.from({length: 0xa0}, (_, code) => String.fromCharCode(code)).filter(
  character => character < " " || character > "~",
)

test("of a user's text on IRC, the tab is the only control character that is kept", () => {
  expect(plain(`a${controls.join("|")}b`).replaceAll("|", "")).toBe("a\tb")
  expect(plain("\u000304,01red\u0003 \u0002bold\u0002 \u001b[2J\u001b]0;title\u0007")).toBe("red bold [2J]0;title")
})

test("of a bot's text on IRC, only formatting, tabs and line breaks are kept beside the text", () => {
  const texts = controls.map(character => `${character}x`)
  const kept = toLines([...texts, ...texts.flatMap(name => [h("at", {name}), h("a", {href: name}, "x")])])
    .join("\n")
    .replace(/[@() ]/g, "")
  expect([...new Set([...kept].filter(character => character !== "x"))].sort().join("")).toBe(
    "\u0002\u0003\u0004\t\n\u000f\u0011\u0016\u001d\u001e\u001f",
  )
})
