import {cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {test} from "vitest"
import {startScriptedModel} from "../../support/agents/scripted-model.ts"
import {makeReader} from "../../support/docs/documented-commands.ts"
import {documentedParts} from "../../support/docs/documented-parts.ts"
import {makeFolder, onBun, type Project, root} from "../../support/host/host.ts"

/** A clone with its dependencies installed. The examples are copies, because a Host keeps its state beside them. */
const makeClone = (): string => {
  const clone = makeFolder()
  for (const name of readdirSync(root)) if (name !== "examples") symlinkSync(join(root, name), join(clone, name))
  cpSync(join(root, "examples"), join(clone, "examples"), {
    recursive: true,
    filter: path => !/\/(?:\.svc|data|node_modules)$/.test(path),
  })
  return clone
}

const headingsOf = (page: string) => documentedParts.filter(part => part.page === page).map(({heading}) => heading)

test.each(["examples/agent/README.md", "examples/bridge/README.md", "examples/files/README.md"])(
  "the commands of %s start the example in a clone, and talk to it",
  async page => {
    const clone = makeClone()
    const example = join(clone, page, "..")
    const project: Project = {
      folder: clone,
      path: (...parts) => join(example, ...parts),
      read: () => "",
      write: (path, text) => writeFileSync(join(example, path), text),
    }
    project.write("cat.png", "no picture")
    // A stand-in for a model's server, for the example that has an agent.
    const model = await startScriptedModel([{text: "Seven days."}])
    const options = {input: "/help\n", env: {HTTP_PORT: "0", LLM_URL: model.url}}
    const reader = makeReader(project, onBun, () => ({}), options)
    try {
      await reader.run(page, "Run it")
      const inside = makeReader({...project, folder: example}, onBun, () => ({}), options)
      for (const heading of ["Try it", "Evaluate it"])
        if (headingsOf(page).includes(heading)) await inside.run(page, heading)
    } finally {
      // `bun run` does not forward the end of the test to the Host that it started.
      const {pid} = JSON.parse(readFileSync(join(example, ".svc/host.json"), "utf8"))
      process.kill(pid, "SIGTERM")
    }
  },
  600_000,
)
