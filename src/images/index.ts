export { buildImages, type BuildRequest, type BuiltImage } from './run.ts';
export { probeImages } from './probe.ts';
export { loadImageSources, packagedImagesDir } from './load.ts';
export { contentLabel, workerImage, type ImageSource, type ListedImage } from './plan.ts';
export { imagesErrors } from './errors.ts';
