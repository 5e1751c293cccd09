import {describe, expect, test} from "vitest"
import {parsePattern} from "../../../server/messages/arguments/pattern.ts"
import {type Command, usageOf} from "../../../server/messages/command/command.ts"
import {helpCommand, misuseText, unknownText, usages} from "../../../server/messages/command/help.ts"
import {Router} from "../../../server/messages/command/router.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import {answer as chatText, unknownCommand} from "../../support/messages/answers.ts"
import {command, groupEvent, parsed} from "../../support/messages/commands.ts"

const routerOf = (...commands: readonly Command[]) => new Router(commands, ["/", "!"])

/** The parts of a session that a handler of this message reads. */
const saying = (text: string) => ({text, event: groupEvent(), language: "en"}) as Session

/** The result of a message in a group: the command's words and the rest, or why there is none. */
const routed = (router: Router, text: string, channel?: number) => {
  const found = router.route(text, groupEvent(text, channel))
  if (found.is === "command") return `${found.command.path.join(" ")} | ${found.rest}`
  return found.is === "unknown"
    ? `unknown ${found.word}${found.meant === undefined ? "" : ` → ${found.meant}`}`
    : "none"
}

describe("a message is for the bot", () => {
  const router = routerOf(command("greet <name>"))

  test.each([
    ["/greet Ann", "greet | Ann"],
    ["!greet Ann", "greet | Ann"],
    ["/GREET Ann", "greet | Ann"],
    ["Robbie: greet Ann", "greet | Ann"],
    ["robbie, greet Ann", "greet | Ann"],
    ["@Robbie greet Ann", "greet | Ann"],
    ["bot-1 greet Ann", "greet | Ann"],
    ["greet Ann", "none"],
    ["Robbiegreet Ann", "none"],
    ["Robbie", "none"],
    ["hello / greet", "none"],
    ["", "none"],
  ])("in a group if it has a prefix or the bot's name: %j", (text, expected) => {
    expect(routed(router, text)).toBe(expected)
  })

  test.each([
    ["greet Ann", "greet | Ann"],
    ["/greet Ann", "greet | Ann"],
    ["hello there", "none"],
    ["/hello", "unknown hello"],
  ])("in a direct conversation without either: %j", (text, expected) => {
    expect(routed(router, text, channelType.direct)).toBe(expected)
  })
})

describe("the command is the longest that the words name:", () => {
  const router = routerOf(
    command("item"),
    command("item add <title:text>", {aliases: ["add", "new item"]}),
    command("item list"),
    command("note add <text:text>"),
  )

  test.each([
    ["/item", "item | "],
    ["/item add milk and eggs", "item add | milk and eggs"],
    ["/item   add   milk", "item add | milk"],
    ["/item\tadd\nmilk", "item add | milk"],
    ["/item other", "item | other"],
    ["/add milk", "item add | milk"],
    ["/new item milk", "item add | milk"],
    ["/note", "unknown note"],
    ["/note ad", "unknown note ad → note add"],
    ["/itme", "unknown itme → item"],
    ["/lst", "unknown lst"],
    ["/__proto__", "unknown __proto__"],
    ["/constructor", "unknown constructor"],
    ["/", "unknown "],
  ])("%j", (text, expected) => expect(routed(router, text)).toBe(expected))
})

describe("an unknown command", () => {
  const router = routerOf(command("greet"), command("weather"))
  const answer = (text: string, channel?: number) => {
    const found = router.route(text, groupEvent(text, channel))
    return found.is === "unknown" ? unknownText(router, found) : "routed"
  }

  test("is answered with a suggestion", () => {
    expect(answer("/gret")).toBe(unknownCommand("gret", "/greet"))
    expect(answer("/wether")).toBe(unknownCommand("wether", "/weather"))
  })

  test("without a similar one is answered in a direct conversation, but ignored in a group", () => {
    expect(answer("/shrug", channelType.direct)).toBe(unknownCommand("shrug"))
    expect(answer("/shrug")).toBeUndefined()
  })
})

describe("a group of commands", () => {
  const router: Router = routerOf(
    command("note add <text:text>", {description: "Keep a note"}),
    command("note list [page:integer]"),
    command("note wipe all", {permission: "admin"}),
    command("note spy", {hidden: true}),
    command("item", {description: "Say what there is"}),
    command("item add <title>"),
    command("ops ban <user>", {permission: "admin"}),
  )
  const answer = (text: string, permission: "user" | "admin" = "user") => {
    const found = router.route(text, groupEvent(text))
    return found.is === "unknown" ? unknownText(router, found, {permission}) : found.is
  }
  const list = "Commands of /note:\n/note add <text...>: Keep a note\n/note list [page]"

  test("answers with the commands that the user may call, without hidden ones", () => {
    expect(answer("/note")).toBe(list)
    expect(answer("/NOTE")).toBe(list.replace("/note:", "/NOTE:"))
    expect(answer("/note", "admin")).toBe(`${list}\n/note wipe all`)
    expect(answer("/note wipe", "admin")).toBe("Commands of /note wipe:\n/note wipe all")
  })

  test("suggests its own commands, and lists them if none resembles the word", () => {
    expect(answer("/note ad milk")).toBe(unknownCommand("note ad", "/note add"))
    expect(answer("/note shrug")).toBe(chatText("help.unknown", {words: "note shrug", hint: list}))
    expect(answer("/nte")).toBe(unknownCommand("nte", "/note"))
  })

  test("is not shown to a user who may call none of them", () => {
    expect(answer("/ops")).toBeUndefined()
    expect(answer("/osp")).toBeUndefined()
    expect(answer("/note wip")).toBe(chatText("help.unknown", {words: "note wip", hint: list}))
    expect(answer("/ops", "admin")).toBe("Commands of /ops:\n/ops ban <user>")
  })

  test("that is a command too suggests or lists them when it is misused", () => {
    const item = router.find("item") as Command
    const misuse = (rest: string) => misuseText(router, item, `Unexpected "${rest}"`, {rest})
    expect(misuse("ad milk")).toBe(unknownCommand("item ad", "/item add"))
    expect(misuse("shrug")).toBe('Unexpected "shrug". Usage: /item\nCommands of /item:\n/item add <title>')
  })

  test("has a help page", () => {
    const help = (words: string) =>
      helpCommand(() => router).handle({args: {command: words}, options: {}, session: saying("/help")})
    expect(help("note")).toBe(list)
    expect(help("item")).toBe("/item: Say what there is\nCommands of /item:\n/item add <title>")
    expect(help("ops")).toBe(unknownCommand("ops"))
  })
})

describe("a pattern", () => {
  test("names words and typed arguments", () => {
    expect(parsePattern("item add <title:string> [priority:integer]")).toEqual({
      path: ["item", "add"],
      arguments: [
        {name: "title", type: "string", required: true},
        {name: "priority", type: "integer", required: false},
      ],
    })
  })

  test.each([
    ["", "a command must begin with a word"],
    ["<name>", "a command must begin with a word"],
    ["a <x> b", 'unexpected "b"'],
    ["a <x:date>", 'x has the type "date"; the types are string, text, number, integer, boolean'],
    ["a <x:text> <y>", "text must come last"],
    ["a [x] <y>", "a required argument cannot follow an optional one"],
    ["a <x", 'unexpected "<x"'],
    ["a <x> [x]", "x appears twice"],
    ["a <:string>", "an argument needs a name"],
  ])("is refused when it makes no sense: %j", (pattern, message) => {
    expect(() => parsePattern(pattern)).toThrow(message)
  })
})

describe("the text after a command's words", () => {
  test.each([
    ["a <n:integer>", "-5", {n: -5}],
    ["a <n:number>", "2.5e1", {n: 25}],
    ["a <b:boolean>", "Yes", {b: true}],
    ["a <b:boolean>", "off", {b: false}],
    ["a <s>", "word", {s: "word"}],
    ["a <s>", '"two words"', {s: "two words"}],
    ["a <s>", "'single $quoted'", {s: "single $quoted"}],
    ["a <s>", '"a \\"quoted\\" word"', {s: 'a "quoted" word'}],
    ["a <s>", '""', {s: ""}],
    ["a <s>", "it's", {s: "it's"}],
    ["a <s>", "C:\\new", {s: "C:\\new"}],
    ["a <s> <t>", "a\\ b", {s: "a\\", t: "b"}],
    ["a <s> [t]", "one", {s: "one"}],
    ["a <s> [t]", "one two", {s: "one", t: "two"}],
    ["a <rest:text>", "  as it   stands, 'quotes' and all ", {rest: "as it   stands, 'quotes' and all"}],
    ["a <s> <rest:text>", '"first one"  then  the   rest "as is"', {s: "first one", rest: 'then  the   rest "as is"'}],
    ["a [rest:text]", "", {}],
  ])("is read by type: %s with %j", (pattern, rest, expected) => expect(parsed(pattern, rest)).toEqual(expected))

  test.each([
    ["a <s>", "", "s is missing"],
    ["a <rest:text>", "   ", "rest is missing"],
    ["a <n:integer>", "1.5", 'n must be a whole number, not "1.5"'],
    ["a <n:integer>", "9007199254740993", 'n must be a whole number, not "9007199254740993"'],
    ["a <n:number>", "many", 'n must be a number, not "many"'],
    ["a <n:number>", '""', 'n must be a number, not ""'],
    ["a <n:number>", "Infinity", 'n must be a number, not "Infinity"'],
    ["a <b:boolean>", "maybe", 'b must be yes or no, not "maybe"'],
    ["a <s>", "one two", 'Unexpected "two"'],
    ["a", "one", 'Unexpected "one"'],
  ])("is refused with the reason: %s with %j", (pattern, rest, why) => expect(parsed(pattern, rest)).toBe(why))

  const options = {label: {type: "string", short: "l"}, times: {type: "integer"}, loud: {type: "boolean"}} as const

  test.each([
    ["hello --times 3 --loud", {s: "hello", times: 3, loud: true}],
    ["-l x hello", {s: "hello", label: "x"}],
    ['hello --label "two words"', {s: "hello", label: "two words"}],
    ["hello --label=x", {s: "hello", label: "x"}],
    ["hello", {s: "hello"}],
    ["-- --times", {s: "--times"}],
  ])("has options: %j", (rest, expected) => expect(parsed("a <s>", rest, {options})).toEqual(expected))

  test.each([
    ["hello --tims 3", "Unknown option '--tims'"],
    ["hello --times many", "--times must be a whole number"],
    ["hello --label", "Option '-l, --label <value>' needs a value"],
  ])("has invalid options that are refused: %j", (rest, why) => expect(parsed("a <s>", rest, {options})).toBe(why))

  test("may be a negative number if the command has options", () => {
    expect(parsed("a <n:number>", "-5", {options})).toEqual({n: -5})
    expect(parsed("a <n:number>", "-5 --loud", {options})).toEqual({n: -5, loud: true})
    expect(parsed("a", "--times -5", {options})).toEqual({times: -5})
  })
})

describe("help", () => {
  const greet = command("greet <name> [times:integer]", {
    description: "Say hello",
    aliases: ["hi"],
    options: {loud: {type: "boolean", short: "l", description: "In capitals"}},
    examples: ["/greet Ann"],
  })
  const hidden = command("secret", {hidden: true})
  const router: Router = new Router([helpCommand(() => router), greet, hidden], ["/", "!"])
  const help = (words?: string, text = "/help") =>
    helpCommand(() => router).handle({
      args: words === undefined ? {} : {command: words},
      options: {},
      session: saying(text),
    })

  test("lists all commands except hidden ones, sorted", () => {
    expect(help()).toBe(
      [
        "Commands:",
        "/greet <name> [times] [--loud]: Say hello",
        `/help [command...]: ${chatText("help.description")}`,
      ].join("\n"),
    )
    expect(usages(router)).toEqual(["/greet <name> [times] [--loud]", "/help [command...]"])
  })

  test("explains a single command", () => {
    expect(help("greet")).toBe(
      ["/greet <name> [times] [--loud]: Say hello", "also: hi", "  --loud, -l: In capitals", "  /greet Ann"].join("\n"),
    )
    expect(help("hi")).toBe(help("greet"))
    expect(help("nothing")).toBe(unknownCommand("nothing"))
  })

  test.each([
    ["!help", "!greet <name>"],
    ["Robbie: help", "Robbie: greet <name>"],
    ["help", "/greet <name>"],
  ])("shows commands in the form in which its reader called the bot: %j", (text, shown) => {
    expect(help(undefined, text)).toContain(`\n${shown}`)
    expect(help("greet", text)).toMatch(new RegExp(`^${shown}`))
  })

  test("is part of the answer to a call that does not fit", () => {
    expect(misuseText(router, greet, "name is missing")).toBe(`name is missing. Usage: /${usageOf(greet)}`)
  })

  test("shows 40 commands, and the number of further ones", () => {
    const many: Router = new Router(
      [helpCommand(() => many), ...Array.from({length: 60}, (_, n) => command(`c${n}`))],
      ["/"],
    )
    const lines = String(helpCommand(() => many).handle({args: {}, options: {}, session: saying("/help")})).split("\n")
    expect(lines).toHaveLength(42)
    expect(lines.at(-1)).toBe("… and 21 more")
  })
})
