import {limits} from "../../server/runtime/runtime.ts"
import {code, page, prose, table} from "./markdown.ts"

interface Operation {
  readonly summary: string
  /** The accepted credentials, the weakest first; empty for a public route. */
  readonly security: readonly Readonly<Record<string, unknown>>[]
}

const scopes: Readonly<Record<string, string>> = {
  fullToken: "full",
  demoToken: "demo",
  signature: "the platform's own signature",
}

const scopeOf = ([least = {}]: Operation["security"]): string => scopes[Object.keys(least)[0] ?? ""] ?? "none"

/** The parts of the document that this page uses. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const intro = `Paths are relative to the Host's address. \`http.base\` prefixes everything but \`/pub\`.
A running Host describes parameters, bodies and answers, including its plugins' routes, at \`GET /api/openapi.json\`. The package
has this document for the built-in plugins as \`dist/openapi.json\`, which \`bun run build\` writes.

- \`demo\` and \`full\` need \`Authorization: Bearer <token>\`. \`full\` accepts \`http.token\`, and \`http.previousToken\` until it
  expires. \`demo\` also accepts \`http.demoToken\`, which does not get properties that a schema marks \`x-private\` (texts, names,
  addresses, payloads, errors).
- Webhooks (\`/hooks/…\`) carry the signature of their platform, which the endpoint's adapter verifies; they need no token.
- A plugin's own routes are below \`/api/plugins/<name>\`; the table shows those of the built-in plugins.
- Lists accept \`?limit=\` and \`?cursor=\` and return \`{items, next}\`, newest first.
- An error is \`application/problem+json\` with a code of [problems.md](problems.md).
- Every GET route answers HEAD too. A request body may have ${limits.body / 1024 ** 2} MiB, the headers ${limits.headers / 1024} KiB. The Host answers
  within ${limits.requestTimeout / 1000} s, except for streams.`

export const routesPage = ({paths}: OpenApi): string => {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, {security, summary}]) => [
      method.toUpperCase(),
      code(path),
      scopeOf(security),
      prose(summary),
    ]),
  )
  return page("HTTP routes", intro, table(["Method", "Path", "Scope", "What"], rows))
}
