import {usuallyOn} from "../../../support/host/runtimes.ts"
import {describeWithChromium} from "../../../support/machine/chromium.ts"
import {thirteenTasks} from "./thirteen.ts"

describeWithChromium("an operator at 1440 pixels, by the console alone", () => {
  thirteenTasks({runtime: usuallyOn("node24"), width: 1440, height: 900})
})
