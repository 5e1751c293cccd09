import {limits} from "../../server/runtime/runtime.ts"
import type {Permission} from "../../shared/route.ts"
import {code, page, prose, table} from "./markdown.ts"

interface Operation {
  readonly summary: string
  readonly "x-permission": Permission
}

/** The parts of the document that this page uses. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const intro = `Paths are relative to the Host's address. \`http.base\` prefixes everything but \`/pub\`.
A running Host describes parameters, bodies and answers, including its plugins' routes, at \`GET /api/openapi.json\`. The package
has this document for the built-in plugins as \`dist/openapi.json\`, which \`bun run build\` writes.

- \`demo\` and the roles need \`Authorization: Bearer <token>\`. \`http.token\`, and \`http.previousToken\` until it expires, have
  every permission. \`http.demoToken\` has only \`demo\`, and does not get properties that a schema marks \`x-private\`
  (texts, names, addresses, payloads, errors).
- Roles: \`viewer\` also sees private data, \`operator\` acts on messages and work, \`owner\` changes the Host itself.
- Webhooks (\`/hooks/…\`) carry the signature of their platform, which the endpoint's adapter verifies; they need no token.
- A plugin's own routes are below \`/api/plugins/<name>\`; the table shows those of the built-in plugins.
- Lists accept \`?limit=\` and \`?cursor=\` and return \`{items, next}\`, newest first.
- An error is \`application/problem+json\` with a code of [problems.md](problems.md).
- Every GET route answers HEAD too. A request body may have ${limits.body / 1024 ** 2} MiB, the headers ${limits.headers / 1024} KiB. The Host answers
  within ${limits.requestTimeout / 1000} s, except for streams.`

export const routesPage = ({paths}: OpenApi): string => {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, {"x-permission": permission, summary}]) => [
      method.toUpperCase(),
      code(path),
      permission === "signature" ? "the platform's own signature" : permission,
      prose(summary),
    ]),
  )
  return page("HTTP routes", intro, table(["Method", "Path", "Permission", "What"], rows))
}
