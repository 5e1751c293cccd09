import {writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {SecretSearch} from "../../../server/recovery/secrets/search.ts"
import {findInFile} from "../../../server/recovery/verify/inspect.ts"
import {makeFolder} from "../../support/host/project.ts"

const secret = "correct-horse-battery-staple-1234567890"

test("a search in chunks finds a value across a chunk border and at both ends", async () => {
  const file = join(makeFolder(), "file")
  const search = new SecretSearch({TOKEN: secret, OTHER: "another-value-entirely"})
  const piece = 256 * 1024
  for (const before of [0, piece - secret.length, piece - 20, piece - 1, piece, 2 * piece - 5]) {
    writeFileSync(file, Buffer.concat([Buffer.alloc(before, 0xff), Buffer.from(secret), Buffer.alloc(10)]))
    expect(await findInFile(file, search), `behind ${before} bytes`).toBe("TOKEN")
  }
  writeFileSync(file, Buffer.alloc(3 * piece, secret.slice(0, -1)))
  expect(await findInFile(file, search)).toBeUndefined()
  expect(await findInFile(file, new SecretSearch({}))).toBeUndefined()
})
