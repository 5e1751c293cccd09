import {describe, expect, test} from "vitest"
import {readLanguages} from "../../../server/messages/language/languages.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"

const ids = new Map([["irc~a", {ignoresCase: true}]])

describe("the language of an event", () => {
  const {of, known} = readLanguages(
    {
      known: ["en", "de", "zh-Hans"],
      rules: [
        {endpoint: "irc~a", channel: "#Team", language: "de-AT"},
        {endpoint: "irc~b", language: "zh"},
      ],
    },
    ids,
  )
  const said = (locale?: string, id = "#other", type: number = channelType.text) => ({
    channel: {id, type},
    user: {id: "ann", ...(locale === undefined ? {} : {locale})},
  })

  test("is the user's choice, before all else", () => expect(of("irc~a", said("zh", "#team"), "en")).toBe("en"))

  test("is the channel's by the first matching rule, with the endpoint's comparison of ids", () => {
    expect(of("irc~a", said("zh", "#TEAM"))).toBe("de")
    expect(of("irc~b", said("de", "#team"))).toBe("zh-Hans")
  })

  test("of a direct conversation is never that of a channel with the same name", () => {
    expect(of("irc~a", said(undefined, "#team", channelType.direct))).toBe("en")
  })

  test("is the platform's for the user, if it makes a language tag", () => {
    expect(of("irc~a", said("de_AT"))).toBe("de")
    expect(of("irc~a", said("zh-CN"))).toBe("zh-Hans")
    expect(of("irc~a", said("klingon!"))).toBe("en")
  })

  test("is the default if the bot does not speak the wanted one", () => {
    expect(of("irc~a", said("fr"), "es")).toBe("en")
    expect(known[0]).toBe("en")
  })
})
