import {parseArgs} from "node:util"
import {root} from "../root.ts"
import {buildSite} from "./build.ts"
import {serveSite} from "./serve.ts"

const usage = `bun run docs [--base <path>] [--serve [--port <n>]]

Builds the documentation as a static site in dist/site/. The first run fetches VitePress from the npm registry.

  --base <path>   the path of the site on its server, such as /svc/ (default: /)
  --serve         then serves it on the loopback address, until Ctrl-C
  --port <n>      the port for that (default: 4173)
`

const {values} = parseArgs({
  options: {
    help: {type: "boolean", short: "h", default: false},
    base: {type: "string", default: "/"},
    serve: {type: "boolean", default: false},
    port: {type: "string", default: "4173"},
  },
})

const fail = (message: string): never => {
  process.stderr.write(`docs: ${message}\n`)
  process.exit(1)
}

const say = (line: string) => void process.stdout.write(`docs: ${line}\n`)

if (values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
if (!/^\/([\w.~-]+\/)*$/.test(values.base)) fail("--base must start and end with a slash, such as /svc/")
if (!/^\d{1,5}$/.test(values.port)) fail("--port must be a port number")

try {
  const output = `${root}dist/site`
  const started = Date.now()
  const count = buildSite({base: values.base, output, say})
  say(`${count} pages in ${output}, after ${Math.round((Date.now() - started) / 1000)} s`)
  if (values.serve) {
    const {url} = await serveSite(output, values.base, Number(values.port)).catch(error =>
      fail(`the site is built, but not served: ${error.message}\n  hint: --port names another port`),
    )
    say(`${url} shows them; Ctrl-C ends it`)
  }
} catch (error) {
  fail(error instanceof Error ? error.message : String(error))
}
