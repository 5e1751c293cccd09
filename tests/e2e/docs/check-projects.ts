import {checkProject} from "../../../server/doctor/project.ts"

/** Checks projects as `svc config check` does, and prints the problem of each as JSON, or null. One process serves all. */
const problems: unknown[] = []
for (const folder of process.argv.slice(2))
  problems.push((await checkProject(folder, "development")).problem?.body() ?? null)
process.stdout.write(JSON.stringify(problems))
