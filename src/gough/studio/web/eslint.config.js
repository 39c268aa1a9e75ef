import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["node_modules/"] },
  js.configs.recommended,
  {
    files: ["src/**/*.js"],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ["*.js", "test/**/*.js"],
    languageOptions: { globals: globals.node },
  },
  {
    rules: {
      "array-callback-return": "error",
      eqeqeq: "error",
      "no-console": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-param-reassign": ["error", { props: false }],
      "no-promise-executor-return": "off",
      "no-self-compare": "error",
      "no-shadow": ["error", { allow: ["document", "name", "event", "status", "history", "open"] }],
      "no-template-curly-in-string": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
    },
  },
];
