import {readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {expect, test} from "vitest"
import {makeFolder} from "../../support/machine/folders.ts"
import {lintWithRedocly, lintWithSpectral, openApiFile} from "./openapi-lint.ts"

/** Writes a copy of the description with errors, to check that the linters find them. */
const spoilt = (): string => {
  const document = JSON.parse(readFileSync(openApiFile, "utf8"))
  document.paths["/api/session"].get.operationId = document.paths["/api/inbox"].get.operationId
  document.paths["/api/inbox/{seq}"].get.parameters = []
  const file = join(makeFolder(), "openapi.json")
  writeFileSync(file, JSON.stringify(document))
  return file
}

test("Redocly's recommended rules find no error in the API's description, and only true warnings", async () => {
  expect(await lintWithRedocly(openApiFile)).toEqual([
    // Routes without token, parameters and body refuse no request.
    "warn operation-4xx-response #/paths/~1pub~1health/get/responses",
    "warn operation-4xx-response #/paths/~1pub~1ready/get/responses",
    // A WebSocket answers 101, or 426 to a plain request.
    "warn operation-2xx-response #/paths/~1satori~1v1~1events/get/responses",
  ])
  expect(await lintWithRedocly(spoilt())).toContainEqual(expect.stringMatching(/^error /))
})

test("Spectral's recommended rules find no error in the description, and only true warnings", async () => {
  expect(await lintWithSpectral(openApiFile)).toEqual([
    // The contact is up to the operator.
    "warn info-contact #/info",
    "warn operation-success-response #/paths//satori/v1/events/get/responses",
  ])
  expect(await lintWithSpectral(spoilt())).toContainEqual(expect.stringMatching(/^error /))
})
