import {readFileSync} from "node:fs"
import {join} from "node:path"
import {createClient} from "@libsql/client/sqlite3"
import {expect, test} from "vitest"
import {mayHold} from "../../../server/recovery/secrets/pages.ts"
import {SecretSearch} from "../../../server/recovery/secrets/search.ts"
import {makeFolder} from "../../support/host/project.ts"

const secret = "correct-horse-battery-staple-1234567890"
const search = new SecretSearch({TOKEN: secret})
const silent = () => {}

/** A file with SQLite's smallest pages and one row. */
const makeFile = async (folder: string, name: string | number, body: string): Promise<string> => {
  const file = join(folder, `${name}.sqlite`)
  const client = createClient({url: `file:${file}`, concurrency: 1})
  await client.execute("PRAGMA page_size=512")
  await client.execute("PRAGMA synchronous=OFF")
  await client.execute("CREATE TABLE note (body TEXT NOT NULL)")
  await client.execute({sql: "INSERT INTO note VALUES (?)", args: [body]})
  client.close()
  return file
}

test("a value is found wherever SQLite splits it over two pages", async () => {
  const folder = makeFolder()
  const paddings = Array.from({length: 640}, (_, index) => index)
  let cut = 0
  for (const padding of paddings) {
    const body = `${"x".repeat(padding)}${secret}`.padEnd(1300, "y")
    const file = await makeFile(folder, padding, body)
    if (!readFileSync(file).includes(secret)) cut++
    expect(await mayHold(file, search, silent), `behind ${padding} characters`).toBe(true)
  }
  // The end of each page meets every character of the value.
  expect(cut).toBeGreaterThanOrEqual(secret.length - 1)
})

test("a file without the value needs no search by row, but a file in another form does", async () => {
  const folder = makeFolder()
  const told: number[] = []
  const without = await makeFile(folder, "without", "nothing to see ".repeat(1000))
  expect(await mayHold(without, search, (done, total) => told.push(done / total))).toBe(false)
  expect(told.at(-1)).toBe(1)
  const encoded = await makeFile(folder, "encoded", `x${Buffer.from(`?${secret}`).toString("base64")}`)
  expect(await mayHold(encoded, search, silent)).toBe(true)
})

test("a value of fewer than 16 characters is always searched row by row", async () => {
  const file = await makeFile(makeFolder(), "short", "nothing")
  expect(await mayHold(file, new SecretSearch({TOKEN: "fifteen-letters"}), silent)).toBe(true)
  expect(await mayHold(file, new SecretSearch({}), silent)).toBe(false)
})
