import {describe, expect, test} from "vitest"
import {elementsOf} from "../../../../server/outbox/markdown/tree.ts"
import {type Platform, renderings} from "../../../support/adapters/renderings.ts"
import {samples} from "./samples.ts"

const platforms = Object.keys(renderings) as Platform[]

const rendered = new Map<Platform, ReturnType<typeof renderAll>>()

const render = (platform: Platform) => {
  const known = rendered.get(platform) ?? renderAll(platform)
  rendered.set(platform, known)
  return known
}

const renderAll = async (platform: Platform): Promise<ReadonlyMap<string, unknown>> => {
  const shown = [...samples].map(async ([name, text]) => {
    return [name, JSON.parse(JSON.stringify(await renderings[platform](elementsOf(text))))] as const
  })
  return new Map(await Promise.all(shown))
}

test("the samples are 200", () => expect(samples.size).toBe(200))

/** Read their changes before you store them: `vitest run -u` with this file. */
test.each(platforms)("Markdown on %s is as stored", async platform => {
  const lines = [...(await render(platform))].map(each => JSON.stringify(each))
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`${platform}.jsonl`)
})

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const objectsIn = (value: unknown): readonly object[] =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []

const safeAddress = /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i
const tags = new Set(
  "a b strong i em s del u code pre p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote table thead tbody tr th td".split(
    " ",
  ),
)
const attributes = /^(?: (?:href|start|class|align|style|cellpadding|cellspacing)="[^"<>]*")*\s*\/?$/

/** Every tag of a text of HTML, with its attributes. */
const tagsOf = (html: string) => [...html.matchAll(/<\/?([a-z][a-z\d-]*)([^>]*)>/gi)]

describe("no text of a sample makes", () => {
  test.each(["matrix", "email"] as const)("HTML or a picture on %s", async platform => {
    for (const [name, shown] of await render(platform)) {
      const {html = ""} = shown as {html?: string}
      for (const [whole, tag = "", rest = ""] of tagsOf(html)) {
        expect(tags, `${name}: ${whole}`).toContain(tag)
        expect(rest, `${name}: ${whole}`).toMatch(attributes)
        const [, address] = / href="([^"]*)"/.exec(rest) ?? []
        if (address !== undefined) expect(address, name).toMatch(safeAddress)
      }
      expect(html.replaceAll(/<\/?[a-z][^>]*>/gi, ""), name).not.toMatch(/[<>]/)
    }
  })

  test.each(platforms)("a mention, a file or a link to another kind of address on %s", async platform => {
    const forbidden = ["user", "usergroup", "broadcast", "channel", "image", "mention", "text_mention"]
    for (const [name, shown] of await render(platform)) {
      for (const each of objectsIn(shown)) {
        for (const key of ["users", "parse", "files", "embeds", "buttons"]) expect(each, name).not.toHaveProperty(key)
        if ("type" in each) expect(forbidden, name).not.toContain(each.type)
        if ("url" in each) expect(each.url, name).toMatch(safeAddress)
      }
    }
  })

  test("a command or a line on IRC", async () => {
    for (const [name, shown] of await render("irc"))
      for (const line of textsIn(shown)) expect(line, name).not.toMatch(/[\0\r\n\x01\x05-\x08\x7f]/)
  })
})
