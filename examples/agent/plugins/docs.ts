import {createHash} from "node:crypto"
import {readdir, readFile} from "node:fs/promises"
import {join, resolve} from "node:path"
import {definePlugin, type Plugin, Type} from "svc-runtime"
import {queryOf, type Section, sectionsOf} from "../lib/sections.ts"

const Settings = Type.Object({
  folder: Type.String({default: "docs", description: "The folder of Markdown pages, relative to the project"}),
})

const Page = Type.Object({file: Type.String(), hash: Type.String()})
const Found = Type.Object({file: Type.String(), heading: Type.String(), text: Type.String()})

/** The most sections that a search returns, and the most characters of each. */
const most = {sections: 5, characters: 2000}

const readPages = async (folder: string): Promise<ReadonlyMap<string, readonly Section[]>> => {
  const files = (await readdir(folder, {recursive: true})).filter(file => file.endsWith(".md")).sort()
  const read = async (file: string) => [file, sectionsOf(await readFile(join(folder, file), "utf8"))] as const
  return new Map(await Promise.all(files.map(read)))
}

/** Updates the index from the folder. Pages that have not changed keep their rows. */
const refresh = async ({database, log}: Plugin, folder: string): Promise<void> => {
  const [pages, sections] = [database.table("pages"), database.table("sections")]
  const wanted = await readPages(folder)
  const known = new Map(
    (await database.read(`SELECT file, hash FROM ${pages}`, [], Page)).map(row => [row.file, row.hash]),
  )
  const remove = (file: string) => [
    {sql: `DELETE FROM ${sections} WHERE file = ?`, args: [file]},
    {sql: `DELETE FROM ${pages} WHERE file = ?`, args: [file]},
  ]
  for (const [file, found] of wanted) {
    const json = JSON.stringify(found)
    const hash = createHash("sha256").update(json).digest("hex")
    if (known.get(file) === hash) continue
    const add = `INSERT INTO ${sections} (file, heading, text) SELECT ?, value->>'heading', value->>'text' FROM json_each(?)`
    const note = `INSERT INTO ${pages} (file, hash) VALUES (?, ?)`
    await database.write([...remove(file), {sql: add, args: [file, json]}, {sql: note, args: [file, hash]}])
    log.info(`read ${file}: ${found.length} sections`)
  }
  for (const file of known.keys()) if (!wanted.has(file)) await database.write(remove(file))
}

export default definePlugin({
  description: "Lets agents search the pages of a folder",
  config: Settings,
  setup(plugin, {folder}) {
    const {database} = plugin
    const sections = database.table("sections")
    database.migrate([
      {
        name: "sections",
        undo: "drop both tables; the next start fills them from the folder",
        up: table => [
          `CREATE TABLE ${table("pages")} (file TEXT PRIMARY KEY, hash TEXT NOT NULL)`,
          `CREATE VIRTUAL TABLE ${table("sections")} USING fts5(file UNINDEXED, heading, text, tokenize = 'porter unicode61')`,
        ],
      },
    ])

    plugin.tool(
      "search",
      {
        description: "Searches the documentation. Returns the best matching sections, each with its file and heading.",
        parameters: Type.Object({
          words: Type.String({
            minLength: 1,
            maxLength: 300,
            description: "Words that the section is likely to contain.",
          }),
        }),
        effect: "none",
      },
      async ({args}) => {
        const query = queryOf(args.words)
        const sql = `SELECT file, heading, substr(text, 1, ${most.characters}) AS text FROM ${sections}
          WHERE ${sections} MATCH ? ORDER BY bm25(${sections}, 0, 4, 1) LIMIT ${most.sections}`
        const found = query === "" ? [] : await database.read(sql, [query], Found)
        return found.length > 0
          ? found
          : "Nothing was found. Try other words, or say that the documentation does not answer this."
      },
    )

    plugin.onStart(() => refresh(plugin, resolve(plugin.project, folder)))
  },
})
