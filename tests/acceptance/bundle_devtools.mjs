// Bundles DevTools' own heap snapshot code for Node.
//
// usage: node bundle_devtools.mjs OUT.mjs
import * as esbuild from 'esbuild';

// The build of DevTools generates this file, so the npm package lacks it.
const localesStub = {
  name: 'locales-stub',
  setup(build) {
    build.onResolve({filter: /\/locales\.js$/}, ({path}) => ({path, namespace: 'locales-stub'}));
    build.onLoad({filter: /.*/, namespace: 'locales-stub'}, () => ({
      contents: `
        export const LOCALES = ['en-US'];
        export const BUNDLED_LOCALES = LOCALES;
        export const DEFAULT_LOCALE = 'en-US';
        export const REMOTE_FETCH_PATTERN = '';
        export const LOCAL_FETCH_PATTERN = '';`,
    }));
  },
};

// Node has this since version 22.
const withResolvers = `
Promise.withResolvers ??= function() {
  let resolve, reject;
  const promise = new this((yes, no) => { resolve = yes; reject = no; });
  return {promise, resolve, reject};
};`;

await esbuild.build({
  entryPoints: [new URL('devtools_entry.ts', import.meta.url).pathname],
  outfile: process.argv[2],
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node18',
  plugins: [localesStub],
  banner: {js: withResolvers},
  tsconfigRaw: '{}',
  logLevel: 'warning',
});
