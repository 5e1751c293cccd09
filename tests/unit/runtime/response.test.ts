import {expect, test} from "vitest"
import {loadRuntime} from "../../../server/runtime/load-runtime.ts"

test("a form response has the boundary of its body in its header", async () => {
  await loadRuntime()
  const form = new FormData()
  form.append("name", "ada")
  const response = new Response(form)
  const [, boundary] =
    /^multipart\/form-data; ?boundary="?([^"]+)/.exec(response.headers.get("content-type") ?? "") ?? []
  const [first] = (await response.text()).split("\r\n")
  expect(first).toBe(`--${boundary}`)
})
