import {examine} from "../../../server/doctor/doctor.ts"

/** A process that examines the projects in its messages, one after another, as `svc doctor` does without a Host. */
process.on("message", async project => {
  process.send?.(await examine({project: String(project), environment: "production", running: undefined}))
})
