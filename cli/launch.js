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

// The bundle that `bun run build` writes starts faster than the source. Bun can run the source too.
const bundle = onBun ? "../dist/bun/svc.js" : "../dist/svc.js"
const isBuilt = () => process.getBuiltinModule("node:fs").existsSync(new URL(bundle, import.meta.url))
import(onBun && !isBuilt() ? "./svc.ts" : bundle).catch(error => {
  const missing = error.code === "ERR_MODULE_NOT_FOUND" && String(error.message).includes("dist/svc.js")
  fail(missing ? "the bundle for Node is missing; run: bun run build" : String(error.stack))
})
