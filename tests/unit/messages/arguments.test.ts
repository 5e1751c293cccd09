import {describe, expect, test} from "vitest"
import {parsePattern} from "../../../server/messages/arguments/pattern.ts"
import {checkCallRules} from "../../../server/messages/call-command.ts"
import {usageOf} from "../../../server/messages/command/command.ts"
import {command, parsed} from "../../support/messages/commands.ts"

describe("an argument with a default", () => {
  test.each([
    ["a [n:integer=1]", "", {n: 1}],
    ["a [n:integer=1]", "7", {n: 7}],
    ["a [b:boolean=yes]", "", {b: true}],
    ["a [why:text='no reason']", "", {why: "no reason"}],
    ['a [why:text="it\'s [so] <now>"]', "", {why: "it's [so] <now>"}],
    ["a [s=x=y]", "", {s: "x=y"}],
    ['a [s=""]', "", {s: ""}],
    ["a [color:red|green=Green]", "", {color: "green"}],
    ["a [ids:integer[]=1,2] [s=x]", "", {ids: [1, 2], s: "x"}],
    ["a [words:string[]='a b, c']", "", {words: ["a b", "c"]}],
  ])("always has a value: %s with %j", (pattern, rest, expected) => expect(parsed(pattern, rest)).toEqual(expected))

  test.each([
    ["a [n:integer=many]", 'n: its default "many" is not of type integer'],
    ["a [n:integer=]", "n: put a default in quotes if it is empty or has spaces, quotes or brackets"],
    ["a [color:red|green=blue]", 'color: its default "blue" is not of type red|green'],
    ["a [ids:integer[]=1,x]", 'ids: its default "1,x" is not of type list of integer'],
    ["a <n:integer=1>", "n: an argument with a default must be optional: [n=…]"],
    ["a [n:integer...=1]", "n... cannot have a default: it is an empty list if nothing is given"],
    ["a [s='x]", "s: put a default in quotes if it is empty or has spaces, quotes or brackets"],
    ["a [s=x [y]", 'unexpected "[s=x"'],
  ])("is refused when it does not fit: %s", (pattern, why) => {
    expect(() => parsePattern(pattern)).toThrow(`"${pattern}": ${why}`)
  })
})

describe("choices", () => {
  test.each([
    ["red", {color: "red"}],
    ["GREEN", {color: "green"}],
    ["gren", 'color must be red, green or blue, not "gren" (did you mean "green"?)'],
    ["7", 'color must be red, green or blue, not "7"'],
    ["", "color is missing"],
  ])("are listed when the value is none of them: %j", (rest, expected) => {
    expect(parsed("a <color:red|green|blue>", rest)).toEqual(expected)
  })

  test.each([
    ["a <c:red|>", "c: each choice must be a word without brackets, quotes, commas and colons"],
    ["a <c:red|Red>", "c: the choice Red appears twice"],
    ["a <c:red>", 'c has the type "red"; the types are string, text, number, integer, boolean; choices are'],
  ])("are refused when they make no sense: %s", (pattern, why) => {
    expect(() => parsePattern(pattern)).toThrow(`"${pattern}": ${why}`)
  })
})

describe("several values", () => {
  test.each([
    ["a <ids:integer[]>", "1,2,3", {ids: [1, 2, 3]}],
    ["a <ids:integer[]>", "7", {ids: [7]}],
    ["a <tags[]> [s]", '"a b, c" d', {tags: ["a b", "c"], s: "d"}],
    ["a [ids:integer[]]", "", {}],
    ["a <of:red|green[]>", "Red,green", {of: ["red", "green"]}],
    ["a <names...>", 'Ann "Bob Ray"  Cy', {names: ["Ann", "Bob Ray", "Cy"]}],
    ["a <names...>", `it's C:\\new "a "b x"y `, {names: ["it's", "C:\\new", '"a', '"b', 'x"y']}],
    ["a <s> [n:integer...]", "x", {s: "x", n: []}],
    ["a <s> [n:integer...]", "x 1 -2", {s: "x", n: [1, -2]}],
  ])("are a list: %s with %j", (pattern, rest, expected) => expect(parsed(pattern, rest)).toEqual(expected))

  test.each([
    ["a <ids:integer[]>", "1,x,3", 'each of ids must be a whole number, not "x"'],
    ["a <ids:integer[]>", "1,,3", 'each of ids must be a whole number, not ""'],
    ["a <ids:integer[]>", "1, 2", 'each of ids must be a whole number, not ""'],
    ["a <tags[]>", '""', 'each of tags must be text, not ""'],
    ["a <names...>", "  ", "names is missing"],
    ["a <n:integer...>", "1 two", 'each of n must be a whole number, not "two"'],
    ["a <of:red|green...>", "red gren", 'each of of must be red or green, not "gren" (did you mean "green"?)'],
  ])("are refused with the reason: %s with %j", (pattern, rest, why) => expect(parsed(pattern, rest)).toBe(why))

  test.each([
    ["a <n...> <x>", "n... must come last"],
    ["a <n:text...>", "n: text takes the rest of the line and cannot be a list"],
    ["a <n:text[]>", "n: text takes the rest of the line and cannot be a list"],
    ["a <n:int[]>", 'n has the type "int"'],
    ["a <n:integer[]...>", 'n has the type "integer[]"'],
  ])("are refused in a pattern that makes no sense: %s", (pattern, why) => {
    expect(() => parsePattern(pattern)).toThrow(`"${pattern}": ${why}`)
  })

  test("may be as many as a message can hold", () => {
    const words = Array.from({length: 50_000}, (_, n) => `w${n}`)
    expect(parsed("a <names...>", words.join(" "))).toEqual({names: words})
    const options = {loud: {type: "boolean"}} as const
    expect(parsed("a <names...>", `${words.join(" ")} --loud`, {options})).toEqual({names: words, loud: true})
  })
})

describe("an option", () => {
  const options = {
    order: {type: "string", choices: ["new", "old"], default: "new"},
    size: {type: "integer", choices: [6, 8]},
    tag: {type: "string", short: "t", list: true},
    level: {type: "integer", list: true, default: [1]},
    greet: {type: "boolean", default: true},
  } as const
  const none = {order: "new", tag: [], level: [1], greet: true}

  test.each([
    ["", none],
    ["--order OLD --size 8", {...none, order: "old", size: 8}],
    ["-t a --tag 'b c'", {...none, tag: ["a", "b c"]}],
    ["--level 2 --level -3", {...none, level: [2, -3]}],
    ["--no-greet", {...none, greet: false}],
    ["--greet", none],
    ["--order olt", '--order must be new or old, not "olt" (did you mean "old"?)'],
    ["--size 7", '--size must be 6 or 8, not "7"'],
    ["--level 2 --level x", "--level must be a whole number"],
  ])("has its default, its choices, its list: %j", (rest, expected) => {
    expect(parsed("a", rest, {options})).toEqual(expected)
  })

  test.each<[object, string]>([
    [{type: "date"}, "the type must be one of string, number, integer, boolean"],
    [{type: "integer", default: 1.5}, "its default 1.5 is not a whole number"],
    [{type: "string", choices: ["a"], default: "b"}, 'its default "b" is not one of a'],
    [{type: "string", choices: ["a", "A"]}, "a choice appears twice"],
    [{type: "string", choices: []}, "choices must be a list of values"],
    [{type: "integer", choices: ["a"]}, "each choice must be a whole number"],
    [{type: "string", list: true, default: "a"}, "its default must be a list"],
    [{type: "string", default: ["a"]}, "its default must be one value"],
    [{type: "boolean", list: true}, "a boolean can have neither list nor choices"],
    [{type: "string", short: "xy"}, "short must be one letter"],
  ])("is refused when it makes no sense: %j", (option, why) => {
    expect(checkCallRules({options: {x: option as never}})).toBe(`--x: ${why}`)
  })

  test("is refused when it conflicts with another", () => {
    const greet = {type: "boolean", default: true} as const
    expect(checkCallRules({options: {greet, "no-greet": {type: "boolean"}}})).toContain("--no-greet turns it off")
    const short = {type: "string", short: "x"} as const
    expect(checkCallRules({options: {one: short, two: short}})).toMatch(/^--two: -x /)
    expect(checkCallRules({options})).toBeUndefined()
  })
})

test("help shows a command's arguments as its pattern writes them", () => {
  const options = {
    order: {type: "string", choices: ["new", "old"], default: "new"},
    tag: {type: "string", list: true},
    loud: {type: "boolean"},
    greet: {type: "boolean", default: true},
  } as const
  const usage = usageOf(
    command("a <color:red|green> <ids:integer[]> [times:integer=1] [why:text='no reason']", {options}),
  )
  expect(usage).toBe(
    'a <red|green> <ids,...> [times=1] [why...="no reason"] [--order <new|old=new>] [--tag <string>]... [--loud] [--no-greet]',
  )
  expect(usageOf(command("a <names:string...>"))).toBe("a <names>...")
  expect(usageOf(command("a [of:red|green...]"))).toBe("a [red|green]...")
})
