import {describe, expect, test} from "vitest"
import {startPrism} from "../../support/console/prism.ts"
import {startHost} from "../../support/host/host.ts"
import {documentOf} from "../../support/host/questions.ts"

/** Part of `bun run console-proxy`. It shows that Prism, which must find no violation, can find one. */
describe.skipIf(process.env.SVC_TEST_PRISM === undefined)("Prism between a browser and the Host", () => {
  test("reports a request and an answer that the document does not have", async () => {
    const host = await startHost({config: "http: {port: 0}\n"})
    const document = await documentOf(host)
    const {responses} = document.paths["/api/session"]?.get ?? {responses: {}}
    responses[200] = {
      description: "Another",
      content: {"application/json": {schema: {type: "object", required: ["more"]}}},
    }
    const {url, told} = await startPrism(host, document)
    const headers = {authorization: `Bearer ${host.token}`}
    expect((await fetch(`${url}/api/system/status`, {headers})).status).toBe(200)
    expect(told().violations).toEqual([])
    await fetch(`${url}/api/session`, {headers})
    await fetch(`${url}/api/nothing`, {headers})
    expect(told().violations).toEqual([
      expect.stringMatching(/^GET \/api\/session: .*more/),
      expect.stringMatching(/^GET \/api\/nothing: /),
    ])
    expect((await fetch(`${url}/console/`)).headers.get("content-type")).toContain("text/html")
  })
})
