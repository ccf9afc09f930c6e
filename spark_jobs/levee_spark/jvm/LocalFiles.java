package dev.levee.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;

import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local file system, without a process for each file.
 *
 * Why: where Hadoop's native library is missing (it is in no package), every new file costs a fork and `chmod`: two or three an epoch, which
 * took longer than the epoch's rows.
 * Called by: Hadoop, as `fs.file.impl`.
 */
public final class LocalFiles extends RawLocalFileSystem {
    public void setPermission(Path path, FsPermission permission) throws IOException {
        if (permission.getStickyBit()) {
            super.setPermission(path, permission);
        } else {
            Files.setPosixFilePermissions(pathToFile(path).toPath(), PosixFilePermissions.fromString(permission.toString()));
        }
    }

    /** Hadoop's own would take `fs.file.impl` for a LocalFileSystem, and fail: so do RocksDB's snapshots then, which copy their files. */
    public void copyFromLocalFile(boolean move, boolean overwrite, Path from, Path to) throws IOException {
        FileUtil.copy(this, from, this, to, move, overwrite, getConf());
    }

    public void copyToLocalFile(boolean move, Path from, Path to, boolean raw) throws IOException {
        FileUtil.copy(this, from, this, to, move, getConf());
    }
}
