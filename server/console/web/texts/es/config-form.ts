import type {Part} from "../types.ts"
import {counted} from "./counted.ts"

export const configForm: Part<"configForm"> = {
  change: "Cambiar los ajustes",
  changeAccount: "Cambiar sus ajustes",
  title: plugin => `Ajustes de ${plugin}`,
  about: file =>
    `Los cambios se escriben en ${file}; los comentarios se conservan. Antes de escribir hay una vista previa.`,
  readOnly: (file, why) =>
    `El Host no puede escribir ${file}: ${why}. La vista previa muestra el cambio, para aplicarlo a mano.`,
  pinned: number =>
    `La generación ${number} está fijada y se ejecuta en lugar del archivo. Cambiar el archivo termina la fijación.`,
  unknown: "Sus ajustes no se conocen hasta que esté en marcha. Activarlo primero, o editar el archivo.",
  noSettings: "No tiene ajustes.",
  account: id => `Cuenta ${id}`,
  newAccount: "Id de una cuenta nueva",
  newAccountSays: "Minúsculas, cifras, - y _. Es el nombre de la cuenta en svc, y no se puede cambiar después.",
  addAccount: "Añadir la cuenta",
  removeAccount: id => `Quitar la cuenta ${id}`,
  keepAccount: id => `Conservar la cuenta ${id}`,
  removed: "Se quitará del archivo. Los datos guardados se conservan.",
  disable: "Desactivarlo en el archivo",
  enable: "Activarlo en el archivo",
  remove: "Quitarlo del archivo",
  byDefault: value => `Por defecto: ${value}`,
  unset: "sin definir",
  yes: "sí",
  no: "no",
  secret: "El nombre de una variable de entorno. Su valor viene del entorno o de .env y nunca se muestra.",
  secretSet: name => `${name} está definida.`,
  secretUnset: name => `${name} no está definida: añadirla al entorno o a .env.`,
  list: "Uno por línea.",
  yaml: "Como YAML o JSON.",
  unknownKey: "El esquema no tiene esta clave.",
  preview: "Vista previa",
  previewTitle: "Cambios en el archivo",
  same: "El archivo no cambiaría.",
  wrong: count => counted(count, {one: "Un problema:", other: "# problemas:"}),
  ends: number => `Esto termina la fijación de la generación ${number}.`,
  needsRestart: what => `Esto requiere reiniciar el Host: ${what}.`,
  restartSays: {
    production:
      "El Host escribe el archivo, prueba su próximo inicio y se reinicia. Si la prueba falla, restaura el archivo.",
    development:
      "El Host escribe el archivo y sigue con su configuración actual. Para aplicar el cambio, reiniciarlo a mano.",
  },
  apply: "Aplicar",
  applyRestart: {production: "Escribir y reiniciar", development: "Escribir el archivo"},
  back: "Volver al formulario",
  conflict: file =>
    `${file} cambió mientras tanto. Lo escrito se conserva. Revisar de nuevo la vista previa: ahora parte del archivo cambiado.`,
  applied: generation => `Escrito, y en marcha como generación ${generation}.`,
  restarting: "Escrito. El Host se reinicia.",
  waits: what => `Escrito. Reiniciar el Host para aplicarlo: ${what}.`,
  unchanged: "El archivo ya lo dice así.",
  unwritable: (file, why) =>
    `No se cambió nada, porque el Host no puede escribir ${file}: ${why}. Guardar esto como change.diff en el proyecto y después ejecutar:`,
  commit: "Git no tiene la configuración actual. Para hacer el commit:",
  add: "Añadir un plugin",
  which: "Plugin",
  origins: {"built-in": "parte de svc", project: "en plugins/"},
  noneLeft: "Todos los plugins disponibles ya están en el archivo.",
  packages: "Para añadir un plugin de npm o escribir uno propio, ejecutar un comando en la carpeta del proyecto:",
}
