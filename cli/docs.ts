import {Option} from "clipanion"
import {type Page, readPages} from "../server/runtime/manual.ts"
import {packageRoot} from "../server/runtime/own-files.ts"
import {didYouMean} from "../server/runtime/text/suggest.ts"
import {Problem} from "../shared/problems.ts"
import {search, wordsOf} from "./kit/manual.ts"
import {table} from "./kit/print.ts"
import {rowCommand} from "./kit/rows.ts"

export const docs = rowCommand({
  description: "find and print a page of svc's documentation",
  details: "Lists the pages. With a question or words, prints the section that fits best, and lists the next five.",
  examples: [
    ["Sections about something", "svc docs going to production"],
    ["A whole page", "svc docs --page docs/backup.md"],
  ],
  options: {
    page: Option.String("--page", {description: "Print the page with this path"}),
    words: Option.Rest({name: "words"}),
  },
  run: async given => {
    const pages = readPages(packageRoot)
    const asked = given.words.join(" ")
    if (given.page !== undefined) {
      const page = pages.find(({path}) => path === given.page)
      if (page === undefined) throw missing(`there is no page ${given.page}`)
      given.show(page, ({text}) => text)
    } else if (asked === "") {
      const list = pages.map(({path, title, about}) => ({path, title, about}))
      given.show(list, rows => table(["page", "title", "about"], rows.map(Object.values)))
    } else {
      const [best, ...next] = search(pages, asked).slice(0, 6)
      if (best === undefined) throw missing(`no section has "${asked}"${nearest(asked, pages)}`)
      const also = next.map(({path, heading}) => `\n  ${path}: ${heading}`).join("")
      given.show([best, ...next], () => `${best.path}\n\n${best.text}${also && `\n\nAlso:${also}`}`)
    }
  },
})

const missing = (detail: string) => new Problem("not_found", detail, {hint: "svc docs lists the pages."})

/** Suggests a word of the pages for each word that none of them has. */
const nearest = (asked: string, pages: readonly Page[]): string => {
  const known = [...new Set(pages.flatMap(({text}) => wordsOf(text)))]
  const near = (word: string) => known.filter(each => each[0] === word[0])
  const unknown = wordsOf(asked).filter(word => !known.some(each => each.startsWith(word)))
  return unknown.map(word => didYouMean(word, near(word))).join("")
}
