import {limits} from "../../server/runtime/runtime.ts"
import {code, page, prose, table} from "./markdown.ts"

interface Operation {
  readonly summary: string
  /** What the caller may show, the least first: empty for a public route. */
  readonly security: readonly Readonly<Record<string, unknown>>[]
}

const scopes: Readonly<Record<string, string>> = {
  fullToken: "full",
  demoToken: "demo",
  signature: "the platform's own signature",
}

const scopeOf = ([least = {}]: Operation["security"]): string => scopes[Object.keys(least)[0] ?? ""] ?? "none"

/** What this page reads of the document. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const intro = `Paths are relative to the Host's address. \`http.base\` prefixes everything but \`/pub\`.
A running Host describes parameters, bodies and answers, with its plugins' routes, at \`GET /api/openapi.json\`. The package has
the same of the built-in plugins as \`dist/openapi.json\`, which \`bun run build\` makes.

- \`demo\` and \`full\` need \`Authorization: Bearer <token>\`. \`full\` is \`http.token\`, and \`http.previousToken\` until it expires; \`demo\` takes \`http.demoToken\` too,
  and what a schema marks \`x-private\` (texts, names, addresses, payloads, errors) is left out for it.
- Webhooks (\`/hooks/…\`) show the signature of their platform, which the endpoint's adapter verifies; a token changes nothing there.
- A plugin's own routes are below \`/api/plugins/<name>\`; the table shows those of the built-in plugins.
- Lists take \`?limit=\` and \`?cursor=\` and answer \`{items, next}\`, newest first.
- An error is \`application/problem+json\` with a code of [problems.md](problems.md).
- Every GET route answers HEAD too. A request body is at most ${limits.body / 1024 ** 2} MiB, the headers ${limits.headers / 1024} KiB; an answer that is
  no stream is due within ${limits.requestTimeout / 1000} s.`

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
