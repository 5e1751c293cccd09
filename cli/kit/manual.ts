import type {Page} from "../../server/runtime/manual.ts"

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

/** Words that say nothing about what somebody looks for. */
const frequent = new Set(
  wordsOf(`a an and any are as at be by can could do does for from get go going has have how i if in into is it its me my
    of on or our should so that the their there this to use was we what when where which who why will with you your`),
)

/** Returns roughly what the forms of an English word share: restor for restores, restored and restoring. */
const stemOf = (word: string): string =>
  word
    .replace(/(?<=[aeiouy].*[^s])(?:(?<=...)ed|ing|es|s)$/, "")
    .replace(/([^aeiou])\1$/, "$1")
    .replace(/(?<=..)[eiy]$/, "")

/** A longer word that begins with the stem counts half. */
const hitsIn = (stems: readonly string[], stem: string): number =>
  stems.reduce((sum, each) => sum + (each === stem ? 1 : stem.length > 3 && each.startsWith(stem) ? 0.5 : 0), 0)

const isGuide = (path: string): boolean => !/^[A-Z]+\.md$|\/(?:reference|decisions)\//.test(path)

/**
 * Returns the sections that have any of the words in any form, best first (BM25), at most two of a page. Rare words count
 * more than frequent ones, heads and first sentences more than the text, guides more than lists, and all words in a row most.
 */
export const search = (pages: readonly Page[], asked: string) => {
  const all = [...new Set(wordsOf(asked))]
  const telling = all.filter(word => word.length > 1 && !frequent.has(word))
  const words = (telling.length === 0 ? all : telling).map(stemOf)
  const phrase = wordsOf(asked).join(" ")
  const sections = pages.flatMap(page =>
    sectionsOf(page).map(section => {
      const heads = `${page.title} ${page.path} ${section.heading} `.repeat(4)
      const written = wordsOf(`${heads}${`${page.about} `.repeat(3)}${section.text}`)
      const stems = written.map(stemOf)
      const isSaid = words.length > 1 && written.join(" ").includes(phrase)
      const weight = (isGuide(section.path) ? 1 : 0.6) * (isSaid ? 1.5 : 1)
      return {...section, weight, size: stems.length, hits: words.map(word => hitsIn(stems, word))}
    }),
  )
  const usual = sections.reduce((sum, {size}) => sum + size, 0) / sections.length
  const having = (at: number) => sections.filter(({hits}) => hits[at] !== 0).length
  const rarity = words.map((_, at) => Math.log(1 + sections.length / having(at)))
  return sections
    .map(({weight, size, hits, ...section}) => {
      const length = 0.5 + (0.7 * size) / usual
      const terms = hits.map((hit, at) => (hit === 0 ? 0 : ((rarity[at] ?? 0) * hit) / (hit + length)))
      return {...section, score: weight * terms.reduce((sum, term) => sum + term, 0)}
    })
    .sort((one, other) => other.score - one.score)
    .filter(({score, path}, at, all) => score > 0 && all.slice(0, at).filter(each => each.path === path).length < 2)
}
