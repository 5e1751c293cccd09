import {describe, expect, test} from "vitest"
import {parseCall} from "../../../server/messages/command/command.ts"
import {HostTexts} from "../../../server/messages/texts/host-texts.ts"
import {builtInTables, type HostText} from "../../../server/messages/texts/tables.ts"
import {parseMessage, plainMessage} from "../../../server/runtime/text/message.ts"
import {command} from "../../support/messages/commands.ts"

const keys = Object.keys(builtInTables.en) as HostText[]
const languages = Object.entries(builtInTables)

describe("the texts of svc", () => {
  test("exist in English, German, Chinese and Spanish", () => {
    expect(Object.keys(builtInTables)).toEqual(["en", "de", "zh-Hans", "es"])
  })

  test.each(languages)("in %s have every key, with the same values as in English", (language, table) => {
    expect(Object.keys(table).sort()).toEqual([...keys].sort())
    for (const key of keys) {
      const message = plainMessage(table[key])
      expect(message, `${language}.${key} is plain`).toBeDefined()
      expect([...(message?.names ?? [])].sort(), `${language}.${key}`).toEqual(
        [...(plainMessage(builtInTables.en[key])?.names ?? [])].sort(),
      )
      expect(table[key].trim() === "" || /\{\s|\s\}/.test(table[key]), `${language}.${key}`).toBe(false)
    }
  })

  test("come in the closest language, else the project's default, else English", () => {
    const texts = new HostTexts(new Map(), "es")
    expect(texts.in("de-CH")("help.commands")).toBe("Befehle:")
    expect(texts.in("zh-CN")("help.commands")).toBe("命令：")
    expect(texts.in("fr")("help.commands")).toBe("Comandos:")
    expect(new HostTexts(new Map(), "fr").in("fr")("help.commands")).toBe("Commands:")
  })

  test("can be replaced by a project, in these languages and others", async () => {
    const own = new Map([
      ["nl", new Map([["help.commands", await parseMessage("Opdrachten:", "nl")]])],
      ["en", new Map([["help.more", await parseMessage("{count, plural, one {# more} other {and # more}}", "en")]])],
    ])
    const texts = new HostTexts(own)
    expect(texts.in("nl")("help.commands")).toBe("Opdrachten:")
    expect(texts.in("nl")("help.more", {count: 1})).toBe("1 more")
    expect(texts.in("de")("help.more", {count: 1})).toBe("… und 1 weitere")
    expect(texts.languages).toEqual(["nl", "en", "de", "zh-Hans", "es"])
  })

  test("end a question with the cancel word of any language", () => {
    expect([...new HostTexts().cancelWords].sort()).toEqual(["abbrechen", "cancel", "cancelar", "取消"])
  })
})

describe("a misused option", () => {
  const note = command("note [text:text]", {
    options: {name: {type: "string", short: "n"}, flag: {type: "boolean"}, times: {type: "integer"}},
  })
  const why = (rest: string, language = "en") => {
    const parsed = parseCall(note, rest, new HostTexts().in(language))
    return parsed.is === "misused" ? parsed.why : parsed.is
  }

  test.each([
    ["--nmae x", "Unknown option '--nmae'", "Unbekannte Option '--nmae'"],
    ["--name", "Option '-n, --name <value>' needs a value", "Der Option '-n, --name <value>' fehlt ihr Wert"],
    ["--flag=1", "Option '--flag' takes no value", "Die Option '--flag' nimmt keinen Wert"],
    [
      "--name --flag",
      "Option '--name' needs a value; write a value that starts with - as '--name=-XYZ'",
      "Der Option '--name' fehlt ihr Wert; einer, der mit - beginnt, wird '--name=-XYZ' geschrieben",
    ],
    ["--times x", "--times must be a whole number", "--times muss eine ganze Zahl sein"],
  ])("%s is explained in the user's language", (rest, english, german) => {
    expect([why(rest), why(rest, "de")]).toEqual([english, german])
  })
})
