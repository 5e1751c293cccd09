#!/usr/bin/env node
// Old versions of Node can parse this file, so that it can tell the user that Node is too old.
const wanted = [22, 12]
const onBun = process.versions.bun !== undefined
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

const fail = message => {
  process.stderr.write(`svc: ${message}\n`)
  process.exit(1)
}

if (!onBun && (major < wanted[0] || (major === wanted[0] && minor < wanted[1]))) {
  fail(`the Host needs Bun, or Node ${wanted.join(".")} or newer; this is Node ${process.versions.node}
  hint: Install a newer Node, or run svc on Bun: npx --yes bun@1.4.5 run --bun svc`)
}

// Node keeps its compiled code in the user's cache folder; if it cannot write there, it compiles at each start.
// NODE_COMPILE_CACHE names another folder, NODE_DISABLE_COMPILE_CACHE=1 turns the cache off. Bun has none.
const {HOME, XDG_CACHE_HOME: caches = `${HOME}/.cache`} = process.env
if (!onBun && caches.startsWith("/")) process.getBuiltinModule("node:module").enableCompileCache(`${caches}/svc`)

// Bun's allocator and collector read their settings only when the process starts. So a Host on Bun with `runtime.memory:
// fast` starts itself anew, as the same process. Settings from outside win.
const fast = {MIMALLOC_PURGE_DELAY: "-1", BUN_JSC_numberOfGCMarkers: "1"}
const [part, task, ...options] = process.argv.slice(2)
const isHost = part === "runtime" && task === "start" && !options.includes("--daemon") && !options.includes("--once")

const memoryOf = () => {
  const at = options.findIndex(word => /^--project(=|$)/.test(word))
  const project = at < 0 ? process.env.SVC_PROJECT : (/=(.*)/.exec(options[at])?.[1] ?? options[at + 1])
  const text = process.getBuiltinModule("node:fs").readFileSync(`${project ?? "."}/svc.config.yml`, "utf8")
  const written = String(Bun.YAML.parse(text).runtime?.memory)
  return written.replace(/^\$\{(\w+)(?::-(.*))?\}$/, (_, name, otherwise) => process.env[name] || otherwise)
}

const startFast = () => {
  if (memoryOf() !== "fast" || process.constrainedMemory() < 512 * 2 ** 20) return
  const {execPath, argv0, execArgv, argv, env} = process
  process.execve(execPath, [argv0, ...execArgv, ...argv.slice(1)], {...env, ...fast})
}

if (onBun && isHost && !Object.keys(fast).some(name => name in process.env)) {
  try {
    startFast()
  } catch {
    // The Host itself reports a missing or invalid file, and also runs with Bun's own settings.
  }
}

// The bundle that `bun run build` writes starts faster than the source. Bun can run the source too.
const bundle = onBun ? "../dist/bun/svc.js" : "../dist/svc.js"
const isBuilt = () => process.getBuiltinModule("node:fs").existsSync(new URL(bundle, import.meta.url))
import(onBun && !isBuilt() ? "./svc.ts" : bundle).catch(error => {
  const missing = error.code === "ERR_MODULE_NOT_FOUND" && String(error.message).includes("dist/svc.js")
  fail(missing ? "the bundle for Node is missing; run: bun run build" : String(error.stack))
})
