/**
 * Builds the page into `assets`, which is committed: whoever clones or installs the package serves it without building it.
 */
import { defineConfig } from "vite"

export default defineConfig({
  root: `${import.meta.dirname}/src/page`,
  base: "./",
  logLevel: "warn",
  plugins: [
    {
      // `const { A } = Schema` keeps the whole of Schema, twice the page; `const A = Schema.A` keeps what is used.
      name: "only-used-members",
      enforce: "pre",
      transform: (code, id) =>
        /packages[\\/](core|server)[\\/](src|dist)/.test(id)
          ? code.replace(/^const \{([^}]*)\} = (\w+);?$/gm, (_, names: string, namespace: string) =>
            names.split(",").map((name) =>
              name.trim()
            ).filter((name) => name !== "").map((name) => {
              const [member, local = member] = name.split(":").map((part) => part.trim())
              return `const ${local} = ${namespace}.${member};`
            }).join(" "))
            // What is made by these has no effect until it is used.
            .replace(/ = (Effect\.fn(?:Untraced)?|sha256\.create)\(/g, " = /* @__PURE__ */ $1(")
          : undefined
    }
  ],
  build: {
    outDir: "../../assets",
    emptyOutDir: true,
    target: "es2024",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      treeshake: { moduleSideEffects: (id) => id.endsWith("main.tsx") || id.endsWith(".css") || id.endsWith(".html") },
      output: {
        entryFileNames: "dashboard.js",
        assetFileNames: ({ names: [name = ""] }) => name.endsWith(".css") ? "dashboard.css" : name
      }
    }
  }
})
