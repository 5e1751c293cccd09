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
