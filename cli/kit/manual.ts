import {existsSync, readFileSync} from "node:fs"
import {dirname, join, normalize} from "node:path"

/** A page of the documentation; `about` is its first sentence. */
export type Page = Readonly<Record<"path" | "title" | "about" | "text", string>>

/** Reads the pages that these pages link to, in their order, without missing ones. */
export const readPages = (folder: string, lists = ["docs/README.md", "docs/plugins/list.md"]): Page[] => {
  const paths = lists.flatMap(list => {
    const links = readFileSync(join(folder, list), "utf8").matchAll(/\]\(([^)\s#]+\.md)[^)]*\)/g)
    return [...links].map(([, link = ""]) => normalize(join(dirname(list), link)))
  })
  return [...new Set(paths)].filter(path => existsSync(join(folder, path))).map(path => readPage(folder, path))
}

export const readPage = (folder: string, path: string): Page => {
  const text = readFileSync(join(folder, path), "utf8")
  const prose = text.split(/\n{2,}/).find(part => /^(?!Generated|```|[#|<>-])./.test(part)) ?? ""
  const plain = prose.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("\n", " ")
  return {path, title: /^# (.*)/m.exec(text)?.[1] ?? path, about: plain.replace(/(?<=[.!?])(?= ).*/, ""), text}
}

/** Returns the first configuration on a page, without the indentation of a list; empty if it has none. */
export const firstConfiguration = (page: string): string => {
  const [, indent = "", yaml = ""] = /^( *)```yaml\n(.*?)^ *```$/ms.exec(page) ?? []
  return yaml.replaceAll(new RegExp(`^${indent}`, "gm"), "")
}

const sectionsOf = ({path, title, text}: Page) =>
  text
    .replace(/^```[\s\S]*?^```$/gm, code => code.replace(/^#/gm, "\0#"))
    .split(/^(?=#+ )/m)
    .map(part => ({path, title, heading: /^#+ (.*)/.exec(part)?.[1] ?? title, text: part.replaceAll("\0", "").trim()}))

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

export const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}_]+/gu) ?? []

/** Returns the sections that have all words, best first. A word counts most in the page's title, then in the heading. */
export const search = (pages: readonly Page[], asked: string) => {
  const words = wordsOf(asked).map(word => new RegExp(`(?<![\\p{L}\\p{N}])${word}`, "gu"))
  const scored = pages.flatMap(sectionsOf).map(section => {
    const parts = [`${section.title} ${section.path}`, section.heading, section.text].map(fold)
    const scores = words.map(word => {
      const [inTitle = 0, inHeading = 0, inText = 0] = parts.map(part => part.match(word)?.length ?? 0)
      return 9 * Math.min(1, inTitle) + 5 * Math.min(1, inHeading) + Math.min(3, inText)
    })
    return {...section, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)}
  })
  return scored.filter(({score}) => score > 0).sort((one, other) => other.score - one.score)
}
